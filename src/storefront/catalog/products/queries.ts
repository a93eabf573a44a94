import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { filter, matching } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
import { mediaRecord } from '#platform/media/index.ts';
import { inCategories, placesFor, placesOfOne } from './places/queries.ts';
import {
  normed,
  type Option,
  type OptionValue,
  optionRecord,
  optionValueRecord,
  PRODUCT_STATUSES,
  PRODUCT_TYPES,
  type Product,
  productMediaRecord,
  relationRecord,
  shopProductRecord,
  slugRedirectRecord,
  tagRecord,
  type Variant,
  variantRecord,
  variantValueRecord,
} from './record.ts';
import { assemble, type OptionRow, type PictureOf, type Whole } from './whole.ts';

const VARIANTS = variantRecord.table;

/** So many tags are listed. */
const MOST_TAGS = 200;

/** Products of the shop: it belongs to one tenant (storefront-domain 13). */
export const shopProductRows = selection<Product>({
  from: ({ db }) => db.knex(shopProductRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: shopProductRecord.read,
  filters: {
    status: filter.choice(PRODUCT_STATUSES, { label: 'Status', column: 'status' }),
    type: filter.choice(PRODUCT_TYPES, { label: 'Type', column: 'type' }),
    tag: filter.text({
      label: 'Tag',
      column: (query, tag, { db }) =>
        void query.whereIn(
          'id',
          db.knex(tagRecord.table).where('tag_norm', normed(tag)).select('product_id'),
        ),
    }),
    categoryId: filter.lookup({
      label: 'Category',
      column: (query, ids, { db }) => void query.whereIn('id', inCategories(db.knex, ids)),
      resource: 'shop-categories',
    }),
    created: filter.times({ label: 'Created', column: 'created_at' }),
  },
  search: {
    placeholder: 'Title, slug or SKU',
    by: (query, text, { db }) => {
      const bySku = db.knex(VARIANTS).where({ deleted_at: null }).select('product_id');
      matching(bySku, 'sku', text, 'contains');
      query.where((any) => {
        for (const column of ['title', 'slug'])
          any.orWhere((each) => matching(each, column, text, 'contains'));
        any.orWhereIn('id', bySku);
      });
    },
  },
  sorts: { created: 'created_at', title: 'title', updated: 'updated_at' },
  initial: '-created',
});

/** Variants that can be bought or could be: removed ones are left out. */
export const variantRows = selection<Variant>({
  from: ({ db }) => db.knex(VARIANTS).where({ deleted_at: null }),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: variantRecord.read,
  filters: {
    productId: filter.lookup({ label: 'Product', column: 'product_id', resource: 'shop-products' }),
    sku: filter.text({ label: 'SKU', column: (query, sku) => void query.where('sku_norm', normed(sku)) }),
    barcode: filter.text({ label: 'Barcode', column: 'barcode' }),
  },
  search: { placeholder: 'SKU, barcode or title', by: ['sku', 'barcode', 'title'] },
  sorts: { position: 'position', sku: 'sku_norm', created: 'created_at', price: 'price_cents' },
  initial: 'position',
});

export const optionRows = selection<Option>({
  from: ({ db }) => db.knex(optionRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: optionRecord.read,
  filters: {
    productId: filter.lookup({ label: 'Product', column: 'product_id', resource: 'shop-products' }),
  },
  sorts: { position: 'position', name: 'name' },
  initial: 'position',
});

export const optionValueRows = selection<OptionValue>({
  from: ({ db }) => db.knex(optionValueRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: optionValueRecord.read,
  filters: {
    optionId: filter.lookup({ label: 'Option', column: 'option_id', resource: 'shop-options' }),
  },
  sorts: { position: 'position', value: 'value' },
  initial: 'position',
});

/** Options with their values and the variants that have them; `q` begins the query. */
const optionsOf = (q: Knex): Knex.QueryBuilder =>
  q({ o: optionRecord.table })
    .leftJoin({ v: optionValueRecord.table }, 'v.option_id', 'o.id')
    .leftJoin({ l: variantValueRecord.table }, 'l.value_id', 'v.id')
    .orderBy(['o.position', 'o.id', 'v.position', 'v.id'])
    .select('o.product_id', 'o.id', 'o.name', 'o.position', 'v.value', 'v.swatch_hex', 'l.variant_id')
    .select({ value_id: 'v.id', value_position: 'v.position' });

const variantOrder = ['position', 'id'];

interface PictureRow {
  readonly product_id: string;
  readonly own_alt: string | null;
  readonly variant_id: string | null;
}

/** Pictures of products in their order; `q` begins the query. */
const picturesOf = (q: Knex): Knex.QueryBuilder =>
  q({ l: productMediaRecord.table })
    .join({ m: mediaRecord.table }, 'm.id', 'l.media_id')
    .orderBy(['l.position', 'l.media_id'])
    .select('m.*', 'l.product_id', 'l.variant_id')
    .select({ own_alt: 'l.alt' });

function pictureIn(row: PictureRow): PictureOf {
  const media = mediaRecord.read(row);
  return { media, alt: row.own_alt ?? media.alt, variantId: row.variant_id };
}

/** Products with everything that is part of them, in their order: five questions, however many there are. */
export async function wholesOf({ db }: Ctx, products: readonly Product[]): Promise<Whole[]> {
  const ids = products.map(({ id }) => id);
  if (ids.length === 0) return [];
  const variants: object[] = await db
    .knex(VARIANTS)
    .whereIn('product_id', ids)
    .where({ deleted_at: null })
    .orderBy(variantOrder);
  const options: OptionRow[] = await optionsOf(db.knex).whereIn('o.product_id', ids);
  const tags: { product_id: string; tag: string }[] = await db
    .knex(tagRecord.table)
    .whereIn('product_id', ids)
    .orderBy('tag_norm');
  const pictures: PictureRow[] = await picturesOf(db.knex).whereIn('l.product_id', ids);
  const placesBy = await placesFor(db, ids);
  const picturesBy = Map.groupBy(pictures, ({ product_id }) => product_id);
  const byProduct = Map.groupBy(variants.map(variantRecord.read), ({ productId }) => productId);
  const optionsBy = Map.groupBy(options, ({ product_id }) => product_id);
  const tagsBy = Map.groupBy(tags, ({ product_id }) => product_id);
  return products.map((product) =>
    assemble(
      product,
      byProduct.get(product.id) ?? [],
      optionsBy.get(product.id) ?? [],
      (tagsBy.get(product.id) ?? []).map(({ tag }) => tag),
      (picturesBy.get(product.id) ?? []).map(pictureIn),
      placesBy.get(product.id) ?? [],
    ),
  );
}

const productBySlug = statement<{ slug: string }>((q, p) =>
  q(shopProductRecord.table).where('slug', p('slug')).select('*'),
);
const productByOldSlug = statement<{ slug: string }>((q, p) =>
  q({ r: slugRedirectRecord.table })
    .join({ p: shopProductRecord.table }, 'p.id', 'r.product_id')
    .where('r.slug', p('slug'))
    .select('p.*'),
);
const variantsOfProduct = statement<{ id: string }>((q, p) =>
  q(VARIANTS).where('product_id', p('id')).whereNull('deleted_at').orderBy(variantOrder).select('*'),
);
const optionsOfProduct = statement<{ id: string }, OptionRow>((q, p) =>
  optionsOf(q).where('o.product_id', p('id')),
);
const tagsOfProduct = statement<{ id: string }, { tag: string }>((q, p) =>
  q(tagRecord.table).where('product_id', p('id')).orderBy('tag_norm').select('tag'),
);
const picturesOfProduct = statement<{ id: string }, PictureRow>((q, p) =>
  picturesOf(q).where('l.product_id', p('id')),
);

/** The product with a slug, or with one that it had before; null when there is none. */
export async function productOfSlug({ db }: Ctx, slug: string): Promise<Product | null> {
  const row = (await productBySlug.first(db, { slug })) ?? (await productByOldSlug.first(db, { slug }));
  return row === undefined ? null : shopProductRecord.read(row);
}

/** One product with everything that is part of it. */
export async function wholeOf({ db }: Ctx, product: Product): Promise<Whole> {
  const { id } = product;
  const [variants, options, tags, pictures, places] = await Promise.all([
    variantsOfProduct.all(db, { id }),
    optionsOfProduct.all(db, { id }),
    tagsOfProduct.all(db, { id }),
    picturesOfProduct.all(db, { id }),
    placesOfOne(db, id),
  ]);
  return assemble(
    product,
    variants.map(variantRecord.read),
    options,
    tags.map(({ tag }) => tag),
    pictures.map(pictureIn),
    places,
  );
}

const relatedTo = statement<{ id: string }, { related_id: string }>((q, p) =>
  q(relationRecord.table)
    .where('product_id', p('id'))
    .orderBy(['position', 'related_id', 'kind'])
    .select('related_id'),
);

/** Ids of what is shown beside a product, each once, in their order. */
export const relatedIds = async ({ db }: Ctx, id: string): Promise<string[]> => [
  ...new Set((await relatedTo.all(db, { id })).map((row) => row.related_id)),
];

/** Those of the products that are active. */
export async function listActive({ db }: Ctx, ids: readonly string[]): Promise<Product[]> {
  const rows: object[] = await db
    .knex(shopProductRecord.table)
    .whereIn('id', [...ids])
    .where({ status: 'active' });
  return rows.map(shopProductRecord.read);
}

/** Tags in use, the most frequent first. @param q part of one, in any case */
export async function listTags({ db }: Ctx, q: string): Promise<{ tag: string; count: number }[]> {
  const query: Knex.QueryBuilder = db.knex(tagRecord.table).groupBy('tag_norm');
  matching(query, 'tag_norm', normed(q), 'contains');
  const rows: { tag: string; count: number | string }[] = await query
    .select(db.knex.raw('min(tag) as tag'), db.knex.raw('count(*) as count'))
    .orderBy([{ column: 'count', order: 'desc' }, 'tag'])
    .limit(MOST_TAGS);
  return rows.map(({ tag, count }) => ({ tag, count: Number(count) }));
}

/** Where a picture is shown. */
export interface Usage {
  readonly mediaId: string;
  readonly productId: string;
  readonly slug: string;
  readonly title: string;
}

/** The products that show some pictures. */
export async function usagesOf({ db }: Ctx, mediaIds: readonly string[]): Promise<Usage[]> {
  const rows: { media_id: string; id: string; slug: string; title: string }[] = await db
    .knex({ l: productMediaRecord.table })
    .join({ p: shopProductRecord.table }, 'p.id', 'l.product_id')
    .whereIn('l.media_id', [...mediaIds])
    .orderBy(['p.title', 'p.id'])
    .select('l.media_id', 'p.id', 'p.slug', 'p.title');
  return rows.map(({ media_id, id, slug, title }) => ({ mediaId: media_id, productId: id, slug, title }));
}

/** So many values are asked for in one question. */
const AT_ONCE = 1000;

/** Ids of products by their slugs; what does not exist is left out. */
export async function idsBySlug({ db }: Ctx, slugs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let from = 0; from < slugs.length; from += AT_ONCE) {
    const rows: { id: string; slug: string }[] = await db
      .knex(shopProductRecord.table)
      .whereIn('slug', slugs.slice(from, from + AT_ONCE))
      .select('id', 'slug');
    for (const { id, slug } of rows) found.set(slug, id);
  }
  return found;
}
