import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';

/** A moment of the stock. */
export interface StockAt {
  readonly currency: string;
  /** The end of the day. ISO time */
  readonly before: string;
  /** The levels say it: no movement has to be looked at. */
  readonly isNow: boolean;
  /** What came in after the first of these is youngest; after the second, the next group; and so on. ISO times */
  readonly ages: readonly string[];
}

/** What is on hand of a variant. */
export interface Stock {
  readonly variantId: string;
  readonly productId: string;
  readonly title: string;
  /** null: the product has only this one. */
  readonly variantTitle: string | null;
  readonly sku: string;
  readonly onHand: number;
  readonly costCents: number | null;
  readonly receivedAt: string | null;
}

type Row = Record<string, unknown>;

/** The last movement says what was on hand after it: one look into an index for each variant. */
const ON_HAND = `COALESCE((SELECT m.on_hand_after FROM stock_movements m
  WHERE m.variant_id = l.variant_id AND m.created_at < ? ORDER BY m.created_at DESC, m.id DESC LIMIT 1), 0) AS on_hand`;
const RECEIVED = `(SELECT MAX(m.created_at) FROM stock_movements m
  WHERE m.variant_id = l.variant_id AND m.delta > 0 AND m.created_at < ?) AS received_at`;

function stockIn(knex: Knex, { currency, before, isNow }: StockAt): Knex.QueryBuilder {
  const levels = knex({ l: 'inventory_levels' })
    .join({ v: 'product_variants' }, 'v.id', 'l.variant_id')
    .where('l.track_inventory', true)
    .where('v.currency', currency)
    .whereNull('v.deleted_at')
    .select('l.variant_id', 'v.product_id', 'v.sku', 'v.cost_cents', { variant_title: 'v.title' })
    .select(isNow ? 'l.on_hand' : knex.raw(ON_HAND, [before]));
  return knex.from(levels.as('l')).where('l.on_hand', '<>', 0);
}

const ONLY = 'Default';

/** Variants with stock, those of most value first; what has no cost comes last. */
export async function listStock({ db: { knex } }: Ctx, at: StockAt, most: number): Promise<Stock[]> {
  const rows: Row[] = await stockIn(knex, at)
    .join({ p: 'products' }, 'p.id', 'l.product_id')
    .orderByRaw('CASE WHEN l.cost_cents IS NULL THEN 1 ELSE 0 END, l.on_hand * l.cost_cents DESC')
    .orderBy('l.variant_id')
    .limit(most)
    .select('l.*', 'p.title', knex.raw(RECEIVED, [at.before]));
  return rows.map((row) => ({
    variantId: String(row.variant_id),
    productId: String(row.product_id),
    title: String(row.title),
    variantTitle: row.variant_title === ONLY ? null : String(row.variant_title),
    sku: String(row.sku),
    onHand: Number(row.on_hand),
    costCents: row.cost_cents === null ? null : Number(row.cost_cents),
    receivedAt: row.received_at === null ? null : String(row.received_at),
  }));
}

/** All of it together, and the value by the time since units came in last: what is older than all groups comes last. */
export async function stockTotals({ db: { knex } }: Ctx, at: StockAt) {
  const received = stockIn(knex, at).select('l.on_hand', 'l.cost_cents', knex.raw(RECEIVED, [at.before]));
  const groups = [...at.ages, ''].map((since, group) => {
    const until = at.ages[group - 1];
    const isIn =
      until === undefined
        ? knex.raw("COALESCE(received_at, '') >= ?", [since])
        : knex.raw("COALESCE(received_at, '') >= ? AND COALESCE(received_at, '') < ?", [since, until]);
    return knex.raw('COALESCE(SUM(CASE WHEN ? THEN on_hand * cost_cents END), 0) AS ??', [
      isIn,
      `age${group}`,
    ]);
  });
  const row: Row | undefined = await knex
    .from(received.as('s'))
    .select(
      knex.raw('COALESCE(SUM(on_hand), 0) AS units'),
      knex.raw('COALESCE(SUM(on_hand * cost_cents), 0) AS value'),
      knex.raw('COUNT(*) - COUNT(cost_cents) AS without_cost'),
      ...groups,
    )
    .first();
  return {
    units: Number(row?.units),
    valueCents: Number(row?.value),
    withoutCost: Number(row?.without_cost),
    byAge: groups.map((_, group) => Number(row?.[`age${group}`])),
  };
}
