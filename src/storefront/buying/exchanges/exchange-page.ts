import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { variantRows } from '#storefront/catalog/products/index.ts';
import { money, orRefused } from '#storefront/orders/desk/index.ts';
import * as returns from '#storefront/orders/returns/index.ts';
import { exchange, previewExchange, type Replacement } from './exchanges.ts';

const LINES = 5;

/** As it is typed: SKUs or ids of variants, each with a quantity. */
const ExchangeForm = later(() =>
  z.object({
    variant: z.array(text({ max: 100, trim: true })).max(LINES),
    quantity: z.array(text({ max: 4, trim: true })).max(LINES),
    do: optional(oneOf(['check', 'apply'])),
  }),
);
type Sent = z.output<typeof ExchangeForm>;

const pathOf = (id: string): string => `/store/returns/${encodeURIComponent(id)}`;

async function modelOf(ctx: Ctx, id: string, values: Partial<Sent> = {}) {
  const { one, items, lines } = await returns.wholeReturn(ctx, await returns.get(ctx, id));
  const wished = one.exchangeVariantId === null ? null : await variantRows.find(ctx, one.exchangeVariantId);
  return {
    action: `${pathOf(one.id)}/exchange`,
    after: pathOf(one.id),
    number: one.returnNumber,
    received: items
      .filter(({ receivedQuantity }) => receivedQuantity > 0)
      .map(({ orderItemId, receivedQuantity }) => {
        const line = lines.get(orderItemId);
        return { title: line?.title ?? '', sku: line?.sku ?? '', quantity: receivedQuantity };
      }),
    lines: LINES,
    wished: wished?.sku ?? '',
    values,
    preview: null as object | null,
  };
}

/** The variants that were typed. @throws a refusal of the form */
async function replacements(ctx: Ctx, { variant, quantity }: Sent): Promise<Replacement[]> {
  const items: Replacement[] = [];
  for (const [at, typed] of variant.entries()) {
    if (typed === '') continue;
    const found =
      (await variantRows.find(ctx, typed)) ??
      (await variantRows.page(ctx, { filters: { sku: typed }, offset: 0, limit: 1 })).items[0];
    const units = quantity[at] === undefined || quantity[at] === '' ? '1' : quantity[at];
    if (!found)
      throw refuseForm('The return was not exchanged', { variant: `${typed} is not a SKU of this shop` });
    if (!/^[1-9]\d{0,2}$/.test(units))
      throw refuseForm('The return was not exchanged', { quantity: 'A quantity is a number from 1 to 999' });
    items.push({ variantId: found.id, quantity: Number(units) });
  }
  if (items.length === 0)
    throw refuseForm('The return was not exchanged', { variant: 'Add the items to send' });
  return items;
}

/** Exchanges what has arrived: first what it comes to, then the new order. */
export const exchangePage: Page = page({
  path: '/store/returns/{id}/exchange',
  title: 'Exchange',
  audience: { staff: 'orders:write' },
  layout: PANEL,
  help: 'returns',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: ExchangeForm,
  show: async (ctx, { params: { id } }) => show('store/return-exchange', await modelOf(ctx, id)),
  async submit(ctx, { params: { id }, form }) {
    const items = await replacements(ctx, form);
    if (form.do === 'apply') {
      const { one } = await orRefused(() => exchange(ctx, id, items), 'variant');
      return goTo(pathOf(one.id));
    }
    const { currency, ...cents } = await orRefused(() => previewExchange(ctx, id, items), 'variant');
    const preview = Object.fromEntries(
      Object.entries(cents).map(([name, amount]) => [name.replace(/Cents$/, ''), money(amount, currency)]),
    );
    return show('store/return-exchange', { ...(await modelOf(ctx, id, form)), preview });
  },
});
