import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { type Filter, filter, matching } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
import { oneOf } from '#kernel/http/fields.ts';
import { lowStockThreshold } from '#storefront/contract/settings.ts';
import {
  type Level,
  levelRecord,
  MOVEMENT_REASONS,
  type Movement,
  movementRecord,
  RESERVATION_STATUSES,
  type Reservation,
  reservationRecord,
} from './record.ts';

/** What a variant and its product are called. */
export interface Named {
  readonly sku: string;
  readonly title: string;
  readonly productId: string;
  readonly productTitle: string;
}

/** The stock of a variant, with what both are called. */
export type Stocked = Level & Named & { readonly id: string };

/** Variants and products belong to other capabilities, which write through this one: their tables go by name here. */
const VARIANTS = 'product_variants';
const PRODUCTS = 'products';

/** `true` and `1`, `false` and `0`, as programs write them. */
const asked = (label: string, apply: (isAsked: boolean) => [string, string, readonly string[]]): Filter => ({
  label,
  kind: 'flag',
  parameters: {
    '': {
      schema: oneOf(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1'),
      apply: (query, value) => {
        const [column, how, values] = apply(value === true);
        if (how === 'in') query.whereIn(column, [...values]);
        else query.whereNotIn(column, [...values]);
      },
    },
  },
});

/** Levels `l` with what can be sold. */
const withAvailable = (knex: Knex): Knex.QueryBuilder => {
  const available = knex.raw('on_hand - reserved AS available');
  return (knex(levelRecord.table) as Knex.QueryBuilder).select('*', available).as('l');
};

const isIn =
  (states: readonly string[]) =>
  (isAsked: boolean): [string, string, readonly string[]] => ['l.state', isAsked ? 'in' : 'not in', states];

/** The stock of every variant that is not removed (storefront-api.md, U). */
export const levelRows = selection<Stocked>({
  from: ({ db }) =>
    db.knex
      .from(withAvailable(db.knex))
      .join({ v: VARIANTS }, 'v.id', 'l.variant_id')
      .join({ p: PRODUCTS }, 'p.id', 'v.product_id')
      .whereNull('v.deleted_at'),
  id: 'l.variant_id',
  scope: 'none',
  columns: ['l.*', 'v.sku', 'v.title', 'v.product_id', 'p.title as product_title'],
  read: (row) => ({
    ...levelRecord.read(row),
    ...named(row),
    id: (row as { variant_id: string }).variant_id,
  }),
  filters: {
    low: asked('At or below the threshold', isIn(['low', 'backorder', 'out'])),
    out: asked('Out of stock', isIn(['backorder', 'out'])),
    tracked: filter.flag({
      label: 'Stock is tracked',
      column: 'l.track_inventory',
    }),
    productId: filter.lookup({
      label: 'Product',
      column: 'v.product_id',
      resource: 'shop-products',
    }),
  },
  search: {
    placeholder: 'SKU, barcode, product or variant',
    by: (query, text) => {
      query.where((any) => {
        for (const column of ['v.sku', 'v.barcode', 'v.title', 'p.title'])
          any.orWhere((each) => matching(each, column, text, 'contains'));
      });
    },
  },
  sorts: {
    sku: 'v.sku_norm',
    product: 'p.title',
    stock: 'l.on_hand',
    reserved: 'l.reserved',
    available: 'l.available',
    updated: 'l.updated_at',
  },
  initial: 'sku',
});

function named(row: object): Named {
  const { sku, title, product_id, product_title } = row as Record<string, string>;
  return {
    sku: sku ?? '',
    title: title ?? '',
    productId: product_id ?? '',
    productTitle: product_title ?? '',
  };
}

/** Ids of products of which a variant is at or below its threshold. */
export const productsWithLow = (knex: Knex): Knex.QueryBuilder =>
  knex({ l: levelRecord.table })
    .join({ v: VARIANTS }, 'v.id', 'l.variant_id')
    .whereNot('l.state', 'in')
    .whereNull('v.deleted_at')
    .select('v.product_id');

/** Each change of stock, the newest first. */
export const movementRows = selection<Movement>({
  from: ({ db }) => db.knex(movementRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: movementRecord.read,
  filters: {
    variantId: filter.lookup({
      label: 'Variant',
      column: 'variant_id',
      resource: 'shop-inventory',
    }),
    reason: filter.choice(MOVEMENT_REASONS, {
      label: 'Reason',
      column: 'reason',
    }),
    created: filter.times({ label: 'When', column: 'created_at' }),
  },
  sorts: { created: 'created_at' },
  initial: '-created',
});

/** A hold with what is held. */
export type Held = Reservation & Named;

/** What orders hold, or held. */
export const reservationRows = selection<Held>({
  from: ({ db }) =>
    db
      .knex({ r: reservationRecord.table })
      .join({ v: VARIANTS }, 'v.id', 'r.variant_id')
      .join({ p: PRODUCTS }, 'p.id', 'v.product_id'),
  id: 'r.id',
  scope: 'none',
  columns: ['r.*', 'v.sku', 'v.title', 'v.product_id', 'p.title as product_title'],
  read: (row) => ({ ...reservationRecord.read(row), ...named(row) }),
  filters: {
    variantId: filter.lookup({
      label: 'Variant',
      column: 'r.variant_id',
      resource: 'shop-inventory',
    }),
    status: filter.choice(RESERVATION_STATUSES, {
      label: 'Status',
      column: 'r.status',
    }),
    orderId: filter.text({ label: 'Order', column: 'r.order_id' }),
  },
  unasked: { status: ['held'] },
  sorts: { created: 'r.created_at', expires: 'r.expires_at' },
  initial: '-created',
});

/** So many SKUs are asked for in one question. */
const AT_ONCE = 1000;

/** Variants by their SKUs in capitals; what does not exist is left out. */
export async function idsOfSkus({ db }: Ctx, skus: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const norms = [...new Set(skus.map((sku) => sku.trim().toUpperCase()))];
  for (let from = 0; from < norms.length; from += AT_ONCE) {
    const rows: { id: string; sku_norm: string }[] = await db
      .knex(VARIANTS)
      .whereIn('sku_norm', norms.slice(from, from + AT_ONCE))
      .where({ deleted_at: null })
      .select('id', 'sku_norm');
    for (const { id, sku_norm } of rows) found.set(sku_norm, id);
  }
  return found;
}

/** What is on hand of some variants, by their ids. */
export async function levelsOf({ db }: Ctx, variantIds: readonly string[]): Promise<Map<string, Level>> {
  const found = new Map<string, Level>();
  for (let from = 0; from < variantIds.length; from += AT_ONCE) {
    const rows: object[] = await db
      .knex(levelRecord.table)
      .whereIn('variant_id', variantIds.slice(from, from + AT_ONCE));
    for (const level of rows.map(levelRecord.read)) found.set(level.variantId, level);
  }
  return found;
}

const ofProduct = statement<{ id: string }, object>((q, p) =>
  q({ l: levelRecord.table })
    .join({ v: VARIANTS }, 'v.id', 'l.variant_id')
    .where('v.product_id', p('id'))
    .whereNull('v.deleted_at')
    .select('l.*'),
);

/** What is on hand of the variants of a product, by their ids. */
export const levelsOfProduct = async ({ db }: Pick<Ctx, 'db'>, id: string): Promise<Map<string, Level>> =>
  new Map((await ofProduct.all(db, { id })).map(levelRecord.read).map((one) => [one.variantId, one]));

const thresholdRow = statement<{ key: string }, { value: string }>((q, p) =>
  q('settings').where('key', p('key')).select('value'),
);

/** The threshold of the settings as this transaction has it; null where it is the default. */
export async function storedThreshold({ db }: Ctx): Promise<number | null> {
  const row = await thresholdRow.first(db, { key: lowStockThreshold.key });
  return row === undefined ? null : Number(JSON.parse(row.value));
}
