import { dayIn } from '#storefront/contract/local-day.ts';
import type { TaxLine } from '#storefront/orders/orders/index.ts';
import { type Fact, fact, type SumsOf, summed } from '../measures.ts';
import type { ItemFacts, OrderFacts, RefundFacts } from './order-facts.ts';

/** The row of discounts that staff gave. */
export const BY_STAFF = 'manual';
/** A code of a region is at most so long; what is longer was typed by somebody and would scatter the rows. */
const LONGEST_STATE = 3;

/** A gift card is money for later: what is bought with it is the sale (decision 0088). */
const isGiftCard = ({ type }: ItemFacts): boolean => type === 'gift_card';

const sum = <T>(list: readonly T[], of: (one: T) => number): number =>
  list.reduce((total, one) => total + of(one), 0);

/**
 * What an order adds to the reports, as it is now: its sale on the day on which it was placed, and money on the days on
 * which it came and went. An order that was cancelled is no sale, and its refunds are none of sales.
 *
 * @param zone of the shop: days are its days
 */
export function factsOf(order: OrderFacts, zone: string): Fact[] {
  const day = dayIn(order.placedAt, zone);
  const { currency, source } = order;
  const money = ofMoney(order, zone);
  if (order.isCancelled)
    return summed([fact('sales', day, currency, { source }, { cancelled: 1 }), ...money]);
  return summed([
    ...ofSale(order, day),
    ...ofItems(order, day),
    ...ofPromotions(order, day),
    ...ofTaxes(order, day),
    ...ofRefunds(order, zone),
    ...money,
  ]);
}

/** Of an order without its gift cards. */
const saleTotal = ({ totalCents, items }: OrderFacts): number =>
  totalCents - sum(items.filter(isGiftCard), (one) => one.totalCents);

const discountOf = (item: ItemFacts): number => item.itemDiscountCents + item.orderDiscountCents;

function ofSale(order: OrderFacts, day: string): Fact[] {
  const { currency, source, country, isNew, taxCents } = order;
  const goods = order.items.filter((item) => !isGiftCard(item));
  const totalCents = saleTotal(order);
  return [
    fact(
      'sales',
      day,
      currency,
      { source },
      {
        orders: 1,
        units: sum(goods, ({ quantity }) => quantity),
        grossCents: sum(goods, ({ subtotalCents }) => subtotalCents),
        discountCents: sum(goods, discountOf),
        shippingCents: order.shippingCents - order.shippingDiscountCents,
        taxCents,
        totalCents,
        giftCardsCents: order.totalCents - totalCents,
        ...(isNew && { newOrders: 1, newTotalCents: totalCents }),
      },
    ),
    fact('countries', day, currency, { country }, { orders: 1, totalCents, taxCents }),
    fact('customers', day, currency, { customerId: order.customerId ?? '' }, { orders: 1, totalCents }),
  ];
}

const keysOf = ({ productId, variantId }: ItemFacts) => ({
  productId: productId ?? '',
  variantId: variantId ?? '',
});

/** A thing that stands in an order twice is one order of it. */
function ofItems({ items, currency }: OrderFacts, day: string): Fact[] {
  const seen = new Set<string>();
  return items.flatMap((item) => {
    const keys = keysOf(item);
    const name = `${keys.productId} ${keys.variantId}`;
    const orders = seen.has(name) ? 0 : 1;
    seen.add(name);
    return ofGoods(day, currency, keys, {
      orders,
      units: item.quantity,
      grossCents: item.subtotalCents,
      discountCents: discountOf(item),
      taxCents: item.taxCents,
      totalCents: item.totalCents,
    });
  });
}

/** Of the product, and of all together. */
const ofGoods = (
  day: string,
  currency: string,
  keys: ReturnType<typeof keysOf>,
  sums: Partial<SumsOf<'products'>>,
): Fact[] => [fact('products', day, currency, keys, sums), fact<'goods'>('goods', day, currency, {}, sums)];

function ofPromotions(order: OrderFacts, day: string): Fact[] {
  const byPromotion = new Map<string, number>();
  for (const { promotionId, cents } of order.discounts) {
    const key = promotionId ?? BY_STAFF;
    byPromotion.set(key, (byPromotion.get(key) ?? 0) + cents);
  }
  const totalCents = saleTotal(order);
  return [...byPromotion].map(([promotionId, discountCents]) =>
    fact('promotions', day, order.currency, { promotionId }, { orders: 1, discountCents, totalCents }),
  );
}

const taxKeys = ({ country, state }: OrderFacts, { name, ppm }: TaxLine) => ({
  country,
  state: state.length <= LONGEST_STATE ? state.toUpperCase() : '',
  name,
  ppm: String(ppm),
});

function ofTaxes(order: OrderFacts, day: string): Fact[] {
  const { currency, pricesIncludeTax, shippingTaxCents } = order;
  const of = (line: TaxLine, baseCents: number) =>
    fact('taxes', day, currency, taxKeys(order, line), { baseCents, taxCents: line.cents });
  const shipped = order.shippingCents - order.shippingDiscountCents;
  const shippingBase = pricesIncludeTax ? shipped - shippingTaxCents : shipped;
  return [
    ...order.items.flatMap((item) => item.taxLines.map((line) => of(line, item.totalCents - item.taxCents))),
    ...order.shippingTaxLines.map((line) => of(line, shippingBase)),
  ];
}

/** Parts of an amount in proportion to others: rounded down, and the last one takes the rest. */
export function shares(cents: number, weights: readonly number[]): number[] {
  const all = weights.reduce((total, one) => total + one, 0);
  if (all === 0) return weights.map((_, at) => (at === weights.length - 1 ? cents : 0));
  let left = cents;
  return weights.map((weight, at) => {
    // Both are amounts of money, whose product is beyond what a number holds exactly.
    const part = at === weights.length - 1 ? left : Number((BigInt(cents) * BigInt(weight)) / BigInt(all));
    left -= part;
    return part;
  });
}

/**
 * What each refund takes from sales: not what gift cards cost that were bought, and not money beyond the total, of an order
 * that was edited or paid twice, which was never a sale.
 */
function ofRefunds(order: OrderFacts, zone: string): Fact[] {
  const { currency, source, country, items } = order;
  const byId = new Map(items.map((item) => [item.id, item]));
  let beyond = Math.max(0, sum(order.payments, (one) => one.capturedCents) - order.totalCents);
  return order.refunds.flatMap((refund) => {
    const day = dayIn(refund.at, zone);
    const overpaid = Math.min(beyond, refund.adjustmentCents);
    beyond -= overpaid;
    const parts = refund.items.flatMap((part) => {
      const item = byId.get(part.itemId);
      return item ? [{ ...part, item }] : [];
    });
    const cards = sum(
      parts.filter(({ item }) => isGiftCard(item)),
      (part) => part.amountCents,
    );
    const refundsCents = refund.amountCents - overpaid - cards;
    return [
      fact('sales', day, currency, { source }, { refundsCents }),
      fact('countries', day, currency, { country }, { refundsCents }),
      fact('customers', day, currency, { customerId: order.customerId ?? '' }, { refundsCents }),
      ...parts.flatMap(({ item, quantity, amountCents }) =>
        ofGoods(day, currency, keysOf(item), { refundedUnits: quantity, refundsCents: amountCents }),
      ),
      ...refundedTaxes(order, refund, day, byId),
    ];
  });
}

/** Of each line in proportion to its rates; the rest is of shipping. */
function refundedTaxes(
  order: OrderFacts,
  refund: RefundFacts,
  day: string,
  byId: ReadonlyMap<string, ItemFacts>,
): Fact[] {
  const split = (lines: readonly TaxLine[], cents: number): Fact[] =>
    shares(
      cents,
      lines.map((line) => line.cents),
    ).map((refundedCents, at) =>
      fact('taxes', day, order.currency, taxKeys(order, lines[at] as TaxLine), { refundedCents }),
    );
  const known = refund.items.filter(({ itemId }) => (byId.get(itemId)?.taxLines.length ?? 0) > 0);
  const rest = refund.taxCents - sum(known, ({ taxCents }) => taxCents);
  const goods = order.items.flatMap(({ taxLines }) => taxLines);
  return [
    ...known.flatMap(({ itemId, taxCents }) => split(byId.get(itemId)?.taxLines ?? [], taxCents)),
    ...(rest > 0 ? split(order.shippingTaxLines.length > 0 ? order.shippingTaxLines : goods, rest) : []),
  ];
}

function ofMoney({ payments, refunds, currency }: OrderFacts, zone: string): Fact[] {
  const byId = new Map(payments.map((payment) => [payment.id, payment]));
  const wayOf = ({ to, paymentId }: RefundFacts): string =>
    to === 'original' ? (byId.get(paymentId ?? '')?.processor ?? 'offline') : to;
  return [
    ...payments.map(({ processor, currency, capturedCents, at }) =>
      fact(
        'payments',
        dayIn(at, zone),
        currency,
        { processor },
        { payments: 1, takingsCents: capturedCents },
      ),
    ),
    ...refunds.map((refund) =>
      fact(
        'payments',
        dayIn(refund.at, zone),
        byId.get(refund.paymentId ?? '')?.currency ?? currency,
        { processor: wayOf(refund) },
        { refunds: 1, refundsCents: refund.amountCents },
      ),
    ),
  ];
}
