import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
import { normed, productCategoryRecord, tagRecord } from '#storefront/catalog/products/index.ts';
import {
  CLASSES,
  codeRegistryRecord,
  type Promotion,
  type PromotionCode,
  promotionCodeRecord,
  promotionRecord,
  REDEMPTION_STATUSES,
  type Redemption,
  redemptionRecord,
  STATUSES,
  TYPES,
} from './record.ts';

export const promotionRows = selection<Promotion>({
  from: ({ db }) => db.knex(promotionRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: promotionRecord.read,
  filters: {
    status: filter.choice(STATUSES, { label: 'Status', column: 'status' }),
    type: filter.choice(TYPES, { label: 'Type', column: 'type' }),
    class: filter.choice(CLASSES, { label: 'Applies to', column: 'class' }),
  },
  search: { placeholder: 'Name or code', by: ['name', 'code'] },
  sorts: { created: 'created_at', name: 'name', updated: 'updated_at', priority: 'priority' },
  initial: '-created',
});

export const promotionCodeRows = selection<PromotionCode>({
  from: ({ db }) => db.knex(promotionCodeRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: promotionCodeRecord.read,
  filters: {
    promotionId: filter.lookup({
      label: 'Promotion',
      column: 'promotion_id',
      resource: 'shop-promotions',
    }),
    used: filter.flag({
      label: 'Used',
      column: (query, isUsed) => void query.where('used_count', isUsed ? '>' : '=', 0),
    }),
  },
  search: { placeholder: 'Code', by: ['code'] },
  sorts: { created: 'created_at', code: 'code_norm', used: 'used_count' },
  initial: '-created',
});

/** A redemption with the code that was entered. */
export type RedemptionOf = Redemption & { readonly code: string | null };

export const redemptionRows = selection<RedemptionOf, { code: string | null }>({
  from: ({ db }) =>
    db.knex({ r: redemptionRecord.table }).leftJoin({ c: promotionCodeRecord.table }, 'c.id', 'r.code_id'),
  id: 'r.id',
  scope: 'none',
  columns: ['r.*', 'c.code'],
  read: (row) => ({ ...redemptionRecord.read(row), code: row.code }),
  filters: {
    promotionId: filter.lookup({
      label: 'Promotion',
      column: 'r.promotion_id',
      resource: 'shop-promotions',
    }),
    status: filter.choice(REDEMPTION_STATUSES, { label: 'Status', column: 'r.status' }),
  },
  search: { placeholder: 'Order or email', by: ['r.order_id', 'r.email_norm'] },
  sorts: { created: 'r.created_at', amount: 'r.amount_cents' },
  initial: '-created',
});

/** What orders made of promotions. */
export interface Tally {
  readonly savedCents: number;
  readonly codeCount: number;
}

/** What each of some promotions has saved shoppers, and how many generated codes it has. */
export async function talliesOf({ db }: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Tally>> {
  const saved: { promotion_id: string; cents: number | string }[] = await db
    .knex(redemptionRecord.table)
    .whereIn('promotion_id', [...ids])
    .whereIn('status', ['held', 'used'])
    .groupBy('promotion_id')
    .select('promotion_id', db.knex.raw('sum(amount_cents) as cents'));
  const codes: { promotion_id: string; count: number | string }[] = await db
    .knex(promotionCodeRecord.table)
    .whereIn('promotion_id', [...ids])
    .groupBy('promotion_id')
    .select('promotion_id', db.knex.raw('count(*) as count'));
  const cents = new Map(saved.map((one) => [one.promotion_id, Number(one.cents)]));
  const counts = new Map(codes.map((one) => [one.promotion_id, Number(one.count)]));
  return new Map(ids.map((id) => [id, { savedCents: cents.get(id) ?? 0, codeCount: counts.get(id) ?? 0 }]));
}

/** Promotions that need no code; `q` begins the query. */
const codeless = (q: Knex): Knex.QueryBuilder =>
  q({ p: promotionRecord.table })
    .whereNull('p.code')
    .whereNot('p.type', 'coupon')
    .whereNotExists(q({ c: promotionCodeRecord.table }).whereRaw('c.promotion_id = p.id').select('c.id'))
    .select('p.*');
const activeCodeless = statement<Record<never, never>, object>((q) =>
  codeless(q).where('p.status', 'active'),
);
const triedCodeless = statement<Record<never, never>, object>((q) =>
  codeless(q).whereIn('p.status', ['active', 'draft']),
);

/** Promotions that need no code and are active. @param withDrafts those that are tried as well */
export async function listCodeless({ db }: Ctx, withDrafts: boolean): Promise<Promotion[]> {
  return (await (withDrafts ? triedCodeless : activeCodeless).all(db, {})).map(promotionRecord.read);
}

/** What entered codes open: promotions, and those of the generated codes. */
export interface Entered {
  readonly promotions: readonly Promotion[];
  readonly codes: readonly PromotionCode[];
}

/** @param norms normalised */
export async function enteredBy({ db }: Ctx, norms: readonly string[]): Promise<Entered> {
  if (norms.length === 0) return { promotions: [], codes: [] };
  const refs: { ref_id: string; kind: string }[] = await db
    .knex(codeRegistryRecord.table)
    .whereIn('code_norm', [...norms])
    .select('ref_id', 'kind');
  const idsOf = (kind: string) => refs.filter((one) => one.kind === kind).map(({ ref_id }) => ref_id);
  const codeRows: object[] = await db.knex(promotionCodeRecord.table).whereIn('id', idsOf('promotion_code'));
  const codes = codeRows.map(promotionCodeRecord.read);
  const ids = [...idsOf('promotion'), ...codes.map(({ promotionId }) => promotionId)];
  const rows: object[] = await db.knex(promotionRecord.table).whereIn('id', ids);
  return { promotions: rows.map(promotionRecord.read), codes };
}

/** Promotions by their ids, also those that have ended. */
export async function promotionsById({ db }: Ctx, ids: readonly string[]): Promise<Promotion[]> {
  if (ids.length === 0) return [];
  const rows: object[] = await db
    .knex(promotionRecord.table)
    .whereIn('id', [...ids])
    .orderBy('id');
  return rows.map(promotionRecord.read);
}

/** How often a customer has taken each of some promotions: by account or by email address. */
export async function usesBy(
  { db }: Ctx,
  ids: readonly string[],
  { customerId, emailNorm }: { readonly customerId: string | null; readonly emailNorm: string | null },
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0 || (customerId === null && emailNorm === null)) return new Map();
  const rows: { promotion_id: string; count: number | string }[] = await db
    .knex(redemptionRecord.table)
    .whereIn('promotion_id', [...ids])
    .whereIn('status', ['held', 'used'])
    .where((any) => {
      if (customerId !== null) any.orWhere({ customer_id: customerId });
      if (emailNorm !== null) any.orWhere({ email_norm: emailNorm });
    })
    .groupBy('promotion_id')
    .select('promotion_id', db.knex.raw('count(*) as count'));
  return new Map(rows.map(({ promotion_id, count }) => [promotion_id, Number(count)]));
}

/** The categories of products with all that those are under, by the ids of the products. */
export async function categoriesAbove(
  { db }: Ctx,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows: { product_id: string; id: string }[] = await db
    .knex({ l: productCategoryRecord.table })
    .join({ c: 'categories' }, 'c.id', 'l.category_id')
    // Paths hold no wildcard.
    .join({ top: 'categories' }, (join) => join.on('c.path', 'like', db.knex.raw("top.path || '%'")))
    .whereIn('l.product_id', [...productIds])
    .distinct('l.product_id', 'top.id');
  return new Map(
    [...Map.groupBy(rows, ({ product_id }) => product_id)].map(([id, some]) => [
      id,
      some.map((one) => one.id),
    ]),
  );
}

/** The tags of products, normalised, by the ids of the products. */
export async function tagsOf(
  { db }: Ctx,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows: { product_id: string; tag_norm: string }[] = await db
    .knex(tagRecord.table)
    .whereIn('product_id', [...productIds])
    .select('product_id', 'tag_norm');
  return new Map(
    [...Map.groupBy(rows, ({ product_id }) => product_id)].map(([id, some]) => [
      id,
      some.map(({ tag_norm }) => tag_norm),
    ]),
  );
}

/** Id of the variant with an SKU that is not removed; null when there is none. */
export async function variantOfSku({ db }: Ctx, sku: string): Promise<string | null> {
  const row: { id: string } | undefined = await db
    .knex('product_variants')
    .where({ sku_norm: normed(sku), deleted_at: null })
    .first('id');
  return row?.id ?? null;
}

/** Where things of a kind stand, and by which column people name them beside their id. */
export const places = {
  products: { table: 'products', by: 'slug', title: 'title', one: 'product' },
  variants: { table: 'product_variants', by: 'sku', title: 'sku', one: 'variant' },
  categories: { table: 'categories', by: 'slug', title: 'name', one: 'category' },
  collections: { table: 'collections', by: 'slug', title: 'title', one: 'collection' },
} as const;

export type PlaceKind = keyof typeof places;
export const PLACE_KINDS = Object.keys(places) as PlaceKind[];

interface NameRow {
  readonly id: string;
  readonly name: string;
  readonly title: string;
}

/** Things of a kind by their ids or names. */
export async function found(
  ctx: Ctx,
  kind: PlaceKind,
  named: readonly string[],
): Promise<readonly NameRow[]> {
  const { table, by, title } = places[kind];
  const isVariant = kind === 'variants';
  const query = ctx.db
    .knex(table)
    .where((any) => {
      any.whereIn('id', [...named]);
      if (isVariant) any.orWhereIn('sku_norm', named.map(normed));
      else any.orWhereIn(by, [...named]);
    })
    .select('id', `${by} as name`, `${title} as title`);
  return isVariant ? query.whereNull('deleted_at') : query;
}

/** Those of some shipping methods that exist. */
export async function methodsOf({ db }: Ctx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows: { id: string }[] = await db
    .knex('shipping_methods')
    .whereIn('id', [...ids])
    .select('id');
  return new Set(rows.map(({ id }) => id));
}

/** Groups belong to a wing above: their tables go by name here. */
const GROUP_MEMBERS = 'customer_group_members';

/** The groups of a customer, to try promotions with. */
export async function groupIdsOf({ db }: Ctx, customerId: string): Promise<string[]> {
  const rows: { group_id: string }[] = await db
    .knex(GROUP_MEMBERS)
    .where({ customer_id: customerId })
    .orderBy('group_id')
    .select('group_id');
  return rows.map(({ group_id: id }) => id);
}

/** Of some ids of groups those that exist, by name too. */
export async function groupsNamed(
  { db }: Ctx,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows: { id: string; name: string }[] = await db
    .knex('customer_groups')
    .whereIn('id', [...names])
    .orWhereIn('name', [...names])
    .select('id', 'name');
  return new Map(rows.flatMap(({ id, name }) => [[id, id] as const, [name, id] as const]));
}
