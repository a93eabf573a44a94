import type { Ctx } from '#kernel/context.ts';
import { splitByWeight } from '#kernel/money.ts';
import type { OrderItem, TaxLine, WholeOrder } from '../orders/index.ts';
import { frameOf, shippingNetOf, sumOf, type TaxedAmount, taxTable } from './content.ts';
import type { DocumentLine } from './model.ts';
import type { Invoice, IssuedContent } from './record.ts';
import { wordsOf } from './words.ts';

/** Money that has gone back, as far as a credit note needs it. */
export interface Refunded {
  readonly id: string;
  readonly amountCents: number;
  readonly shippingCents: number;
  readonly adjustmentCents: number;
  readonly items: readonly {
    readonly orderItemId: string;
    readonly quantity: number;
    readonly amountCents: number;
    readonly taxCents: number;
  }[];
}

/** A part of an amount that has tax in it: never more than its share, so that all parts stay within the whole. */
const shareOf = (part: number, tax: number, whole: number): number =>
  whole === 0 ? 0 : Number((BigInt(part) * BigInt(tax)) / BigInt(whole));

/** A tax by the rates that another one is made of. */
function byRates(taxCents: number, lines: readonly TaxLine[]): TaxLine[] {
  const parts = splitByWeight(
    taxCents,
    lines.map(({ cents }) => cents),
  );
  return lines.map((line, at) => ({ ...line, cents: parts[at] ?? 0 }));
}

/** A line of the note, with the taxes on it. */
interface Part {
  readonly line: DocumentLine;
  readonly taxed: readonly TaxedAmount[];
}

function itemPart(whole: WholeOrder, item: OrderItem, part: Refunded['items'][number]): Part {
  const { quantity, amountCents, taxCents } = part;
  const netCents = amountCents - taxCents;
  const isSaid = quantity > 0;
  const asked = item.unitCents * quantity - (whole.order.pricesIncludeTax ? amountCents : netCents);
  const line = {
    sku: item.sku,
    title: item.title,
    variant: item.variantTitle,
    quantity,
    unitCents: isSaid ? item.unitCents : 0,
    discountCents: isSaid ? Math.max(0, asked) : 0,
    netCents,
    taxPpm: item.taxLines.map(({ ppm }) => ppm),
    taxCents,
    totalCents: amountCents,
  };
  return { line, taxed: [{ netCents, lines: byRates(taxCents, item.taxLines) }] };
}

/** An amount beside lines and shipping lowers the price of everything: its tax is that of the whole order in proportion. */
function adjustmentPart(whole: WholeOrder, invoice: Invoice, cents: number): Part {
  const { order } = whole;
  const words = wordsOf(order.locale);
  const taxCents = shareOf(cents, order.taxCents, order.totalCents);
  const netCents = cents - taxCents;
  const { taxes } = invoice.content;
  const split = (amount: number, of: (one: (typeof taxes)[number]) => number) =>
    taxes.length === 0 ? [] : splitByWeight(amount, taxes.map(of));
  const tax = split(taxCents, (one) => one.taxCents);
  const net = split(netCents, (one) => one.netCents);
  const line = {
    sku: '',
    title: order.status === 'cancelled' ? words.cancelled : words.adjustment,
    variant: null,
    quantity: 0,
    unitCents: 0,
    discountCents: 0,
    netCents,
    taxPpm: taxes.length === 1 ? taxes.map(({ ratePpm }) => ratePpm) : [],
    taxCents,
    totalCents: cents,
  };
  const taxed = taxes.map(({ name, ratePpm }, at) => ({
    netCents: net[at] ?? 0,
    lines: [{ name, ppm: ratePpm, cents: tax[at] ?? 0 }],
  }));
  return { line, taxed };
}

/** Shipping that goes back: its tax follows from what went back in all, so that the last part has the rest of it. */
function shippingPart(whole: WholeOrder, notes: readonly Invoice[], cents: number) {
  const { order } = whole;
  const all = shippingNetOf(whole) + order.shippingTaxCents;
  const gone = sumOf(notes, ({ content }) => content.shippingCents + content.shippingTaxCents);
  const goneTax = sumOf(notes, ({ content }) => content.shippingTaxCents);
  const taxCents = Math.max(0, shareOf(gone + cents, order.shippingTaxCents, all) - goneTax);
  const netCents = cents - taxCents;
  return { netCents, taxCents, lines: byRates(taxCents, order.shippingTaxLines ?? []) };
}

/** A credit note that takes all of an invoice back: the invoice once more. */
export const wholeCredit = (ctx: Ctx, whole: WholeOrder, invoice: Invoice): IssuedContent => ({
  ...invoice.content,
  ...frameOf(ctx, whole),
  refersTo: invoice.invoiceNumber,
  giftCards: [],
  paidCents: 0,
  dueCents: 0,
});

/**
 * A credit note as it follows from a refund. What takes everything back is the invoice once more.
 *
 * @param notes that the order has already
 */
export function creditContent(
  ctx: Ctx,
  whole: WholeOrder,
  { invoice, notes }: { readonly invoice: Invoice; readonly notes: readonly Invoice[] },
  refund: Refunded,
): IssuedContent {
  const { items } = whole;
  if (refund.adjustmentCents === invoice.content.totalCents) return wholeCredit(ctx, whole, invoice);
  const parts = refund.items.map((one) =>
    itemPart(whole, items.find(({ id }) => id === one.orderItemId) as OrderItem, one),
  );
  if (refund.adjustmentCents > 0) parts.push(adjustmentPart(whole, invoice, refund.adjustmentCents));
  const shipping = shippingPart(whole, notes, refund.shippingCents);
  const lines = parts.map(({ line }) => line);
  const back = refund.shippingCents > 0 ? [shipping] : [];
  return {
    ...wholeCredit(ctx, whole, invoice),
    lines,
    subtotalCents: sumOf(lines, ({ netCents }) => netCents),
    shippingCents: shipping.netCents,
    shippingTaxCents: shipping.taxCents,
    taxes: taxTable([...parts.flatMap(({ taxed }) => taxed), ...back]),
    taxCents: sumOf(lines, (one) => one.taxCents) + shipping.taxCents,
    totalCents: refund.amountCents,
  };
}
