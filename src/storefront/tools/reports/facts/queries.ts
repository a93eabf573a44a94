import type { Ctx } from '#kernel/context.ts';
import { readFlag, readJson } from '#kernel/db/columns.ts';
import type { TaxLine } from '#storefront/orders/orders/index.ts';
import type { ItemFacts, OrderFacts, PaymentFacts, RefundFacts } from './order-facts.ts';

type Row = Record<string, unknown>;
const text = (value: unknown): string => String(value ?? '');
const textOrNull = (value: unknown): string | null => (value === null ? null : String(value));
const taxLines = (value: unknown): readonly TaxLine[] =>
  value === null ? [] : readJson<readonly TaxLine[]>(value);

/** Rows by the order that they belong to. */
function byOrder(rows: readonly Row[]): (id: string) => readonly Row[] {
  const found = Map.groupBy(rows, ({ order_id: id }) => text(id));
  return (id) => found.get(id) ?? [];
}

const ORDER = [
  'id',
  'customer_id',
  'status',
  'source',
  'currency',
  'prices_include_tax',
  'shipping_cents',
  'shipping_discount_cents',
  'tax_cents',
  'shipping_tax_cents',
  'shipping_tax_lines',
  'total_cents',
  'placed_at',
].map((name) => `o.${name}`);

const ITEM = [
  'id',
  'order_id',
  'product_id',
  'variant_id',
  'type',
  'quantity',
  'subtotal_cents',
  'item_discount_cents',
  'order_discount_cents',
  'tax_cents',
  'total_cents',
  'tax_lines',
];

/**
 * Whether nobody with the same account or address has ordered before. Asked when an order is counted for the first time:
 * who it was may be erased later.
 */
const IS_NEW = `CASE WHEN EXISTS (
  SELECT 1 FROM orders e WHERE e.email_norm = o.email_norm AND e.placed_at IS NOT NULL
    AND (e.placed_at < o.placed_at OR (e.placed_at = o.placed_at AND e.id < o.id))
) OR EXISTS (
  SELECT 1 FROM orders e WHERE e.customer_id = o.customer_id AND e.placed_at IS NOT NULL
    AND (e.placed_at < o.placed_at OR (e.placed_at = o.placed_at AND e.id < o.id))
) THEN 0 ELSE 1 END AS is_new`;

/** What the parts of some orders say; each is read once for all of them. */
async function partsOf({ db: { knex } }: Ctx, ids: readonly string[]) {
  const of = (table: string): ReturnType<typeof knex> => knex(table).whereIn('order_id', [...ids]);
  const refunds: Row[] = await of('refunds').where('status', 'succeeded').orderBy(['updated_at', 'id']);
  const [items, adjustments, addresses, payments, events, refundItems]: Row[][] = await Promise.all([
    of('order_items').orderBy('position').select(ITEM),
    of('order_adjustments')
      .whereIn('kind', ['promotion', 'manual'])
      .select('order_id', 'promotion_id', 'amount_cents'),
    of('order_addresses').select('order_id', 'kind', 'country', 'state'),
    of('payments').where('captured_cents', '>', 0).orderBy(['created_at', 'id']),
    of('order_events').where('type', 'payment').select('order_id', 'data', 'created_at'),
    refunds.length === 0
      ? []
      : knex('refund_items')
          .whereIn(
            'refund_id',
            refunds.map(({ id }) => text(id)),
          )
          .orderBy('id'),
  ]);
  const itemsOfRefund = Map.groupBy(refundItems ?? [], ({ refund_id: id }) => text(id));
  return {
    items: byOrder(items ?? []),
    adjustments: byOrder(adjustments ?? []),
    addresses: byOrder(addresses ?? []),
    payments: byOrder(payments ?? []),
    events: byOrder(events ?? []),
    refunds: byOrder(refunds),
    itemsOfRefund: (id: unknown) => itemsOfRefund.get(text(id)) ?? [],
  };
}

type Parts = Awaited<ReturnType<typeof partsOf>>;

const itemOf = (row: Row): ItemFacts => ({
  id: text(row.id),
  productId: textOrNull(row.product_id),
  variantId: textOrNull(row.variant_id),
  type: text(row.type),
  quantity: Number(row.quantity),
  subtotalCents: Number(row.subtotal_cents),
  itemDiscountCents: Number(row.item_discount_cents),
  orderDiscountCents: Number(row.order_discount_cents),
  taxCents: Number(row.tax_cents),
  totalCents: Number(row.total_cents),
  taxLines: taxLines(row.tax_lines),
});

/** When money was taken, as the history says: the row itself changes with refunds. */
function paymentOf(row: Row, events: readonly Row[], placedAt: string): PaymentFacts {
  const captured = events.find(({ data }) => {
    const said = readJson<{ payment_id?: string; status?: string }>(data);
    return said.payment_id === row.id && said.status === 'captured';
  });
  const noted = row.kind === 'gift_card' ? placedAt : captured?.created_at;
  return {
    id: text(row.id),
    processor: text(row.processor),
    currency: text(row.currency),
    capturedCents: Number(row.captured_cents),
    at: text(row.received_at ?? noted ?? row.created_at),
  };
}

const refundOf = (row: Row, items: readonly Row[]): RefundFacts => ({
  paymentId: textOrNull(row.payment_id),
  to: text(row.refund_to) as RefundFacts['to'],
  amountCents: Number(row.amount_cents),
  adjustmentCents: Number(row.adjustment_cents),
  taxCents: Number(row.tax_cents),
  at: text(row.updated_at),
  items: items.map((one) => ({
    itemId: text(one.order_item_id),
    quantity: Number(one.quantity),
    amountCents: Number(one.amount_cents),
    taxCents: Number(one.tax_cents),
  })),
});

function orderOf(row: Row, parts: Parts, isNew: boolean): OrderFacts {
  const id = text(row.id);
  const placedAt = text(row.placed_at);
  const addresses = parts.addresses(id);
  const place = addresses.find(({ kind }) => kind === 'shipping') ?? addresses[0];
  return {
    id,
    customerId: textOrNull(row.customer_id),
    isCancelled: row.status === 'cancelled',
    source: text(row.source),
    currency: text(row.currency),
    pricesIncludeTax: readFlag(row.prices_include_tax),
    shippingCents: Number(row.shipping_cents),
    shippingDiscountCents: Number(row.shipping_discount_cents),
    taxCents: Number(row.tax_cents),
    shippingTaxCents: Number(row.shipping_tax_cents),
    shippingTaxLines: taxLines(row.shipping_tax_lines),
    totalCents: Number(row.total_cents),
    placedAt,
    isNew,
    country: text(place?.country),
    state: text(place?.state),
    items: parts.items(id).map(itemOf),
    discounts: parts.adjustments(id).map((one) => ({
      promotionId: textOrNull(one.promotion_id),
      cents: Number(one.amount_cents),
    })),
    payments: parts.payments(id).map((one) => paymentOf(one, parts.events(id), placedAt)),
    refunds: parts.refunds(id).map((one) => refundOf(one, parts.itemsOfRefund(one.id))),
  };
}

/**
 * Some orders as reports count them, those that were placed.
 *
 * @param known which of them are the first of their customer, as it was found before
 */
export async function readOrders(
  ctx: Ctx,
  ids: readonly string[],
  known: ReadonlyMap<string, boolean>,
): Promise<OrderFacts[]> {
  if (ids.length === 0) return [];
  const { knex } = ctx.db;
  const rows: Row[] = await knex({ o: 'orders' })
    .whereIn('o.id', [...ids])
    .whereNotNull('o.placed_at')
    .select(...ORDER, ...(ids.every((id) => known.has(id)) ? [] : [knex.raw(IS_NEW)]));
  if (rows.length === 0) return [];
  const parts = await partsOf(
    ctx,
    rows.map(({ id }) => text(id)),
  );
  return rows.map((row) => orderOf(row, parts, known.get(text(row.id)) ?? Number(row.is_new) === 1));
}

/** Where a walk over the orders that were placed is: it goes in the order in which they were. */
export interface Place {
  readonly placedAt: string;
  readonly id: string;
}

/** The next orders of such a walk. */
export async function nextPlaced({ db: { knex } }: Ctx, after: Place, most: number): Promise<Place[]> {
  const rows: Row[] = await knex('orders')
    .where('placed_at', '>=', after.placedAt)
    .where((any) => {
      any.where('placed_at', '>', after.placedAt).orWhere('id', '>', after.id);
    })
    .orderBy(['placed_at', 'id'])
    .limit(most)
    .select('id', 'placed_at');
  return rows.map(({ id, placed_at: placedAt }) => ({ id: text(id), placedAt: text(placedAt) }));
}

/** How many orders were placed. */
export async function countPlaced({ db: { knex } }: Ctx): Promise<number> {
  const row: Row | undefined = await knex('orders').whereNotNull('placed_at').count({ count: '*' }).first();
  return Number(row?.count);
}
