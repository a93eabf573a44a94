import type { Ctx } from '#kernel/context.ts';

/** Read models of `appctl doctor` over the whole shop (storefront-domain 10). Each answers at most this many ids. */
const MOST = 20;

type Row = { id: string };
const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id);

/** Orders whose total or tax is not what stands in their lines and their shipping. */
export async function listWrongTotals({ db: { knex } }: Ctx): Promise<string[]> {
  const lines = knex('order_items')
    .groupBy('order_id')
    .select('order_id')
    .sum({ total: 'total_cents', tax: 'tax_cents' })
    .as('i');
  const rows: Row[] = await knex({ o: 'orders' })
    .leftJoin(lines, 'i.order_id', 'o.id')
    .where((any) => {
      any
        .whereRaw(
          'o.total_cents <> COALESCE(i.total, 0) + o.shipping_cents - o.shipping_discount_cents + CASE WHEN o.prices_include_tax THEN 0 ELSE o.shipping_tax_cents END',
        )
        .orWhereRaw('o.tax_cents <> COALESCE(i.tax, 0) + o.shipping_tax_cents');
    })
    .orderBy('o.id')
    .limit(MOST)
    .select('o.id');
  return idsOf(rows);
}

/** Orders whose discounts are not the sum of what promotions, points and staff took off. */
export async function listWrongDiscounts({ db: { knex } }: Ctx): Promise<string[]> {
  const lines = knex('order_items')
    .groupBy('order_id')
    .select('order_id')
    .sum({ item: 'item_discount_cents', whole: 'order_discount_cents' })
    .as('i');
  const parts = knex('order_adjustments')
    .groupBy('order_id')
    .select('order_id')
    .sum({ cents: 'amount_cents' })
    .as('a');
  const rows: Row[] = await knex({ o: 'orders' })
    .leftJoin(lines, 'i.order_id', 'o.id')
    .leftJoin(parts, 'a.order_id', 'o.id')
    .whereRaw(
      'COALESCE(a.cents, 0) <> COALESCE(i.item, 0) + COALESCE(i.whole, 0) + o.shipping_discount_cents',
    )
    .orderBy('o.id')
    .limit(MOST)
    .select('o.id');
  return idsOf(rows);
}

/** Orders whose paid amounts are not the sum of their payments, or whose refunds are not that of their refunds. */
export async function listWrongMoney({ db: { knex } }: Ctx): Promise<string[]> {
  const captured = (isGift: boolean, name: string) =>
    knex('payments')
      [isGift ? 'where' : 'whereNot']({ kind: 'gift_card' })
      .groupBy('order_id')
      .select('order_id')
      .sum({ cents: 'captured_cents' })
      .as(name);
  const refunded = knex('refunds')
    .where({ status: 'succeeded' })
    .groupBy('order_id')
    .select('order_id')
    .sum({ cents: 'amount_cents' })
    .as('r');
  const rows: Row[] = await knex({ o: 'orders' })
    .leftJoin(captured(false, 'p'), 'p.order_id', 'o.id')
    .leftJoin(captured(true, 'g'), 'g.order_id', 'o.id')
    .leftJoin(refunded, 'r.order_id', 'o.id')
    .where((any) => {
      any
        .whereRaw('o.paid_cents <> COALESCE(p.cents, 0)')
        .orWhereRaw('o.gift_card_cents <> COALESCE(g.cents, 0)')
        .orWhereRaw('o.refunded_cents <> COALESCE(r.cents, 0)')
        .orWhereRaw('o.refunded_cents > o.paid_cents + o.gift_card_cents');
    })
    .orderBy('o.id')
    .limit(MOST)
    .select('o.id');
  return idsOf(rows);
}

/** Payments of which more or less went back than their refunds say; those under way count. */
export async function listWrongRefunds({ db: { knex } }: Ctx): Promise<string[]> {
  const refunded = knex('refunds')
    .whereIn('status', ['pending', 'succeeded'])
    .groupBy('payment_id')
    .select('payment_id')
    .sum({ cents: 'amount_cents' })
    .as('r');
  const rows: Row[] = await knex({ p: 'payments' })
    .leftJoin(refunded, 'r.payment_id', 'p.id')
    .whereRaw('p.refunded_cents <> COALESCE(r.cents, 0)')
    .orderBy('p.id')
    .limit(MOST)
    .select('p.id');
  return idsOf(rows);
}

/** Counted variants whose stock is not the sum of its movements, or of which less or more is held than orders hold. */
export async function listWrongStock({ db: { knex } }: Ctx): Promise<string[]> {
  const moved = knex('stock_movements')
    .groupBy('variant_id')
    .select('variant_id')
    .sum({ units: 'delta' })
    .as('m');
  const held = knex('stock_reservations')
    .where({ status: 'held' })
    .groupBy('variant_id')
    .select('variant_id')
    .sum({ units: 'quantity' })
    .as('h');
  const rows: Row[] = await knex({ l: 'inventory_levels' })
    .leftJoin(moved, 'm.variant_id', 'l.variant_id')
    .leftJoin(held, 'h.variant_id', 'l.variant_id')
    .where('l.track_inventory', true)
    .where((any) => {
      any.whereRaw('l.on_hand <> COALESCE(m.units, 0)').orWhereRaw('l.reserved <> COALESCE(h.units, 0)');
    })
    .orderBy('l.variant_id')
    .limit(MOST)
    .select({ id: 'l.variant_id' });
  return idsOf(rows);
}

/** Promotions that were used more or less often than orders hold or have used them. */
export async function listWrongUses({ db: { knex } }: Ctx): Promise<string[]> {
  const used = knex('promotion_redemptions')
    .whereIn('status', ['held', 'used'])
    .groupBy('promotion_id')
    .select('promotion_id')
    .count({ uses: '*' })
    .as('u');
  const rows: Row[] = await knex({ p: 'promotions' })
    .leftJoin(used, 'u.promotion_id', 'p.id')
    .whereRaw('p.used_count <> COALESCE(u.uses, 0)')
    .orderBy('p.id')
    .limit(MOST)
    .select('p.id');
  return idsOf(rows);
}

/** Orders that hold something and will not be placed: they have ended, or their time is over. @param before that time */
export async function listIdleHolds({ db: { knex } }: Ctx, before: string): Promise<string[]> {
  const holding = (table: string) =>
    knex({ h: table }).whereRaw('h.order_id = o.id').where('h.status', 'held').select('h.id');
  const rows: Row[] = await knex({ o: 'orders' })
    .whereNull('o.placed_at')
    .where((any) => {
      any
        .where('o.status', 'cancelled')
        .orWhere((late) => late.where('o.status', 'pending').where('o.due_at', '<=', before));
    })
    .where((any) => {
      any.whereExists(holding('stock_reservations'));
      for (const table of ['promotion_redemptions', 'gift_card_holds']) any.orWhereExists(holding(table));
    })
    .orderBy('o.id')
    .limit(MOST)
    .select('o.id');
  return idsOf(rows);
}
