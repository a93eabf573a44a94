// The panel's one search finds what staff of a shop look for: products, orders by whom they are for, invoices, pages.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import type { Browser } from '../support/browser.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { ANN } from './shopper.ts';

let shop: OrderShop;
let browser: Browser;
beforeAll(async () => {
  shop = await openOrderShop();
  ({ browser } = await member(shop.app));
});
afterAll(() => shop.app.close());

const found = async (q: string, by = browser): Promise<string> =>
  textOf((await by.open(`/admin/search?q=${encodeURIComponent(q)}`)).text);

it('finds products by title and SKU', async () => {
  const variants = [{ sku: 'TEA-POT-7', price_cents: 1900, stock: 3 }];
  await shop.stocked(1, { title: 'Copper kettle', slug: 'copper-kettle', variants });
  expect(await found('copper ket')).toMatch(/Products Copper kettle active, copper-kettle/);
  expect(await found('tea-pot')).toContain('Copper kettle');
});

it('finds orders by number, name and invoice, for whoever may see them', async () => {
  const shipping_address = { ...ANN, first_name: 'Ottilie', last_name: 'Van Dyck' };
  const order = await shop.placed(await shop.stocked(3), 1, 'fake', { shipping_address });
  const invoice = await shop.knex()('invoices').where({ order_id: order.id }).first('invoice_number');
  for (const q of [order.order_number, 'ottilie', 'Van Dyck', 'dyck ottilie', invoice.invoice_number])
    expect([q, await found(q)]).toEqual([q, expect.stringContaining(`Order ${order.order_number}`)]);
  expect(await found('Ottilie Smith')).not.toContain('Order ');
  expect(await found('100% _')).toContain('Nothing you can access matches');
  const other = await member(shop.app, ['licensing:read']);
  expect(await found('ottilie', other.browser)).not.toContain(`Order ${order.order_number}`);
});

it('finds pages by their names and by what is done on them', async () => {
  expect(await found('refund')).toMatch(/Pages .*Orders.*Returns/);
  expect(await found('smtp')).toContain('Emails');
  expect((await browser.open('/admin/')).text).toMatch(
    /data-words="[^"]*refund[^"]*"><a href="\/store\/orders"/,
  );
  const other = await member(shop.app, ['licensing:read']);
  expect(await found('refund', other.browser)).not.toContain('Orders');
});
