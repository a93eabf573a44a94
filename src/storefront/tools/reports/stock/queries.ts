import type { Ctx } from '#kernel/context.ts';
import { type Statement, statement } from '#kernel/db/statement.ts';

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

/** What is on hand together, and its value by the time since units came in last: what is older than all groups comes last. */
export interface StockTotals {
  readonly units: number;
  readonly valueCents: number;
  readonly withoutCost: number;
  readonly byAge: readonly number[];
}

type Row = Record<string, unknown>;
type Marks = Record<'currency' | 'before' | 'age0' | 'age1' | 'age2', string> & { readonly most: number };

/** The last movement says what was on hand after it: one look into an index for each variant. */
const ON_HAND = `COALESCE((SELECT m.on_hand_after FROM stock_movements m
  WHERE m.variant_id = l.variant_id AND m.created_at < ? ORDER BY m.created_at DESC, m.id DESC LIMIT 1), 0) AS on_hand`;
const RECEIVED = `COALESCE((SELECT MAX(m.created_at) FROM stock_movements m
  WHERE m.variant_id = c.variant_id AND m.delta > 0 AND m.created_at < ?), '') AS received_at`;
/** Of most value first; what has no cost comes last. */
const ORDER = 'CASE WHEN s.cost_cents IS NULL THEN 1 ELSE 0 END, s.on_hand * s.cost_cents DESC';
const TOTALS = `COALESCE(SUM(on_hand), 0) AS units, COALESCE(SUM(on_hand * cost_cents), 0) AS value,
  COUNT(*) - COUNT(cost_cents) AS without_cost,
  COALESCE(SUM(CASE WHEN received_at >= ? THEN on_hand * cost_cents END), 0) AS age0,
  COALESCE(SUM(CASE WHEN received_at >= ? AND received_at < ? THEN on_hand * cost_cents END), 0) AS age1,
  COALESCE(SUM(CASE WHEN received_at >= ? AND received_at < ? THEN on_hand * cost_cents END), 0) AS age2,
  COALESCE(SUM(CASE WHEN received_at < ? THEN on_hand * cost_cents END), 0) AS age3`;
const FOUND = ['s.variant_id', 's.on_hand', 's.cost_cents', 's.received_at'];

/** Totals beside each row, so that every variant is looked at once; how it is called is asked of those that are listed. */
function stockRows(isNow: boolean): Statement<Marks, Row> {
  return statement<Marks, Row>((q, p) => {
    const levels = q({ l: 'inventory_levels' })
      .join({ v: 'product_variants' }, 'v.id', 'l.variant_id')
      .where('l.track_inventory', true)
      .where('v.currency', p('currency'))
      .whereNull('v.deleted_at')
      .select('l.variant_id', 'v.cost_cents')
      .select(isNow ? 'l.on_hand' : q.raw(ON_HAND, [p('before')]));
    // Kept aside first: a condition on what is on hand would be asked of the movements a second time.
    const stock = q
      .from({ c: 'counted' })
      .where('c.on_hand', '<>', 0)
      .select('c.*', q.raw(RECEIVED, [p('before')]));
    const [age0, age1, age2] = [p('age0'), p('age1'), p('age2')];
    const shown = q
      .from({ s: 'stock' })
      .orderByRaw(ORDER)
      .orderByRaw('s.variant_id LIMIT ?', [p('most')])
      .select(FOUND);
    return q
      .withMaterialized('counted', levels)
      .withMaterialized('stock', stock)
      .from(
        q
          .from('stock')
          .select(q.raw(TOTALS, [age0, age1, age0, age2, age1, age2]))
          .as('t'),
      )
      .leftJoin(shown.as('s'), (on) => void on.on(q.raw('1 = 1')))
      .leftJoin({ v: 'product_variants' }, 'v.id', 's.variant_id')
      .leftJoin({ p: 'products' }, 'p.id', 'v.product_id')
      .orderByRaw(ORDER)
      .orderBy('s.variant_id')
      .select('t.*', 'p.title', 'v.product_id', 'v.sku', { variant_title: 'v.title' })
      .select(FOUND);
  });
}

const [nowRows, pastRows] = [stockRows(true), stockRows(false)];

const ONLY = 'Default';

const stockOf = (row: Row): Stock => ({
  variantId: String(row.variant_id),
  productId: String(row.product_id),
  title: String(row.title),
  variantTitle: row.variant_title === ONLY ? null : String(row.variant_title),
  sku: String(row.sku),
  onHand: Number(row.on_hand),
  costCents: row.cost_cents === null ? null : Number(row.cost_cents),
  receivedAt: row.received_at === '' ? null : String(row.received_at),
});

/** Variants with stock, those of most value first, and all of it together. @param most how many are listed */
export async function readStock(
  { db }: Ctx,
  { currency, before, isNow, ages }: StockAt,
  most: number,
): Promise<{ readonly stock: Stock[]; readonly totals: StockTotals }> {
  const [age0 = '', age1 = '', age2 = ''] = ages;
  const rows = await (isNow ? nowRows : pastRows).all(db, { currency, before, age0, age1, age2, most });
  const [first = {}] = rows;
  return {
    stock: rows.filter(({ variant_id: id }) => id !== null).map(stockOf),
    totals: {
      units: Number(first.units),
      valueCents: Number(first.value),
      withoutCost: Number(first.without_cost),
      byAge: [first.age0, first.age1, first.age2, first.age3].map(Number),
    },
  };
}
