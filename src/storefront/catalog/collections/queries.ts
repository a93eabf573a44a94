import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { filter, matching } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { type Media, mediaByIds } from '#platform/media/index.ts';
import {
  normed,
  productCategoryRecord,
  productsIn,
  shopProductRecord,
  tagRecord,
  variantRecord,
} from '../products/index.ts';
import { COLLECTION_KINDS, type Collection, collectionRecord } from './record.ts';
import type { Rule, RuleField } from './rules.ts';

/** Collections of the shop: it belongs to one tenant (storefront-domain 13). */
export const collectionRows = selection<Collection>({
  from: ({ db }) => db.knex(collectionRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: collectionRecord.read,
  filters: { kind: filter.choice(COLLECTION_KINDS, { label: 'Filled', column: 'kind' }) },
  search: {
    placeholder: 'Title or slug',
    by: (query, text) => {
      query.where((any) => {
        for (const column of ['title', 'slug'])
          any.orWhere((each) => matching(each, column, text, 'contains'));
      });
    },
  },
  sorts: { title: 'title', created: 'created_at' },
  initial: 'title',
});

/** A collection with its picture. */
export type PicturedCollection = Collection & { readonly media: Media | null };

/** Every collection, by its title. */
export async function listAll(ctx: Ctx): Promise<PicturedCollection[]> {
  const rows: object[] = await ctx.db.knex(collectionRecord.table).orderBy(['title', 'id']);
  const all = rows.map(collectionRecord.read);
  const pictures = await mediaByIds(
    ctx,
    all.flatMap(({ mediaId }) => mediaId ?? []),
  );
  return all.map((one) => ({ ...one, media: pictures.get(one.mediaId ?? '') ?? null }));
}

/** The collections that some pictures show, by title. */
export async function collectionsShownBy({ db }: Ctx, mediaIds: readonly string[]): Promise<Collection[]> {
  const rows: object[] = await db
    .knex(collectionRecord.table)
    .whereIn('media_id', [...mediaIds])
    .orderBy(['title', 'id']);
  return rows.map(collectionRecord.read);
}

/** Narrows to products `p` whose column is, begins with or holds a text, without regard to case. */
function byText(where: Knex.QueryBuilder, column: string, { op, value }: Rule): void {
  if (op === 'contains' || op === 'starts_with')
    matching(where, column, value, op === 'contains' ? 'contains' : 'prefix');
  else where.whereRaw('lower(??) = lower(?)', [column, value]);
}

type Narrow = (where: Knex.QueryBuilder, rule: Rule, knex: Knex) => void;

const variants = (knex: Knex): Knex.QueryBuilder =>
  knex({ v: variantRecord.table }).whereRaw('v.product_id = p.id').whereNull('v.deleted_at');

/** How products `p` are narrowed to those of which a rule holds, whether it says so or denies it. */
const narrows: Record<RuleField, Narrow> = {
  title: (where, rule) => byText(where, 'p.title', rule),
  brand: (where, rule) => byText(where, 'p.brand', rule),
  type: (where, { value }) => void where.where('p.type', value),
  tag: (where, { value }, knex) =>
    void where.whereIn('p.id', knex(tagRecord.table).where('tag_norm', normed(value)).select('product_id')),
  category: (where, { value }, knex) =>
    void where.whereIn(
      'p.id',
      knex({ l: productCategoryRecord.table })
        .join({ c: 'categories' }, 'c.id', 'l.category_id')
        // Paths hold no wildcard.
        .join({ top: 'categories' }, (join) => join.on('c.path', 'like', knex.raw("top.path || '%'")))
        .where('top.id', value)
        .select('l.product_id'),
    ),
  price_cents: (where, { op, value }, knex) => {
    const cheapest = variants(knex).min('v.price_cents');
    const sql = op === 'is' ? '(?) = ?' : op === 'less_than' ? '(?) < ?' : '(?) > ?';
    where.whereRaw(sql, [cheapest, Number(value)]);
  },
  on_sale: (where, { value }, knex) => {
    const reduced = variants(knex).whereRaw('v.compare_at_cents > v.price_cents').select(knex.raw('1'));
    if (value === 'true') where.whereExists(reduced);
    else where.whereNotExists(reduced);
  },
};

/** What makes a collection of rules. */
export type Ruled = Pick<Collection, 'rules' | 'match'>;

/** Ids of the products of which rules hold, in whatever status, newest first. Without a rule there are none. */
function ruledIds({ db: { knex } }: Ctx, { rules, match }: Ruled): Knex.QueryBuilder {
  const query = knex({ p: shopProductRecord.table }).select('p.id');
  if (rules.length === 0) return query.whereRaw('1 = 0');
  const holds = (where: Knex.QueryBuilder, rule: Rule): void => {
    const one = (inner: Knex.QueryBuilder) => narrows[rule.field](inner, rule, knex);
    // Of a product without brand nothing is true: it is not of that brand all the same.
    if (rule.op === 'is_not')
      where.whereNotIn('p.id', knex({ p: shopProductRecord.table }).where(one).select('p.id'));
    else where.where(one);
  };
  query.where((all) => {
    for (const rule of rules)
      if (match === 'all') all.where((each) => holds(each, rule));
      else all.orWhere((each) => holds(each, rule));
  });
  return query.orderBy([{ column: 'p.created_at', order: 'desc' }, 'p.id']);
}

/** Ids of the products of a collection, in its order when it was filled by hand, in whatever status they are. */
export async function membersOf(ctx: Ctx, collection: Collection): Promise<string[]> {
  if (collection.kind === 'manual') return productsIn(ctx, 'collection', collection.id);
  return ruledMembers(ctx, collection);
}

/** Ids of the products of which rules hold, in whatever status they are, newest first. */
export async function ruledMembers(ctx: Ctx, ruled: Ruled): Promise<string[]> {
  const rows: { id: string }[] = await ruledIds(ctx, ruled);
  return rows.map(({ id }) => id);
}

/** Ids of categories by their slugs or ids, those that exist. */
export async function categoryIds({ db }: Ctx, named: readonly string[]): Promise<Map<string, string>> {
  const rows: { id: string; slug: string }[] = await db
    .knex('categories')
    .whereIn('id', [...named])
    .orWhereIn('slug', [...named])
    .select('id', 'slug');
  return new Map(rows.flatMap(({ id, slug }) => [[slug, id] as const, [id, id] as const]));
}

/** Slugs of the categories that rules name, by their ids. */
export async function categorySlugs({ db }: Ctx, rules: readonly Rule[]): Promise<Map<string, string>> {
  const ids = rules.flatMap(({ field, value }) => (field === 'category' ? [value] : []));
  const rows: { id: string; slug: string }[] = await db
    .knex('categories')
    .whereIn('id', ids)
    .select('id', 'slug');
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}
