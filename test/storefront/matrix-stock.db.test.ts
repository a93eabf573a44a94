// What is on hand in the table of variants: changed beside the prices, and never over the head of an order.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adjust, changeRules, reserve } from '#storefront/catalog/inventory/index.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { another, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
});
afterAll(() => app.close());

interface Variant {
  id: string;
  sku: string;
  price_cents: number;
  inventory: { on_hand: number; track_inventory: boolean };
}
const variantsOf = async (id: string) => (await client.data(`/products/${id}`)).variants as Variant[];
const onHandOf = async (id: string) => (await variantsOf(id)).map(({ inventory }) => inventory.on_hand);

/** A shirt of which all variants but the last are tracked, with 8 of each. */
async function stockedShirt() {
  const { id } = await client.data('/products', 'POST', shirt());
  const variants = await variantsOf(id);
  for (const one of variants.slice(0, 3)) {
    await adjust(app.ctx, one.id, { setTo: 8, reason: 'count' });
    await changeRules(app.ctx, one.id, { trackInventory: true });
  }
  return { id, ids: variants.map((one) => one.id), path: `/store/products/${id}/variants` };
}

type Cells = Record<string, string[]>;
const valueIn = (tag: string) => textOf(/value="([^"]*)"/.exec(tag)?.[1] ?? '');

/** The fields of a page of the matrix, those that repeat as lists. */
function fieldsIn(html: string): Cells {
  const cells: Cells = {};
  for (const [, tag = ''] of html.matchAll(/<input([^>]*)>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1] ?? '';
    (cells[name] ??= []).push(valueIn(tag));
  }
  return cells;
}

async function send(path: string, cells: Cells, as = browser) {
  const _csrf = tokenIn((await as.open('/admin/profile')).text);
  const fields = Object.entries({ ...cells, do: ['save'] })
    .filter(([name]) => name !== '_csrf')
    .flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));
  return as.post(path, [['_csrf', _csrf], ...fields]);
}

const movementsOf = (variantId: string) =>
  app.ctx.db.knex('stock_movements').where({ variant_id: variantId }).orderBy('id');

it('books a changed number as a correction, and leaves alone what is empty or as it was', async () => {
  const { id, ids, path } = await stockedShirt();
  const { text } = await browser.open(path);
  const cells = fieldsIn(text);
  expect(cells.on_hand).toEqual(['8', '8', '8', '']);
  expect(text.match(/placeholder="Not tracked"/g)).toHaveLength(1);
  const saved = await send(path, {
    ...cells,
    price: ['21', '22', '23', '24'],
    on_hand: ['1,012', '', '8', ''],
  });
  expect(saved.status).toBe(303);
  expect(await onHandOf(id)).toEqual([1012, 8, 8, 0]);
  expect((await variantsOf(id)).map((one) => one.price_cents)).toEqual([2100, 2200, 2300, 2400]);
  const booked = (await movementsOf(ids[0] ?? '')).at(-1);
  expect([booked.delta, booked.reason, booked.on_hand_after]).toEqual([1004, 'correction', 1012]);
  expect(booked.actor).toMatch(/^member\d+@x\.test$/);
  expect(await movementsOf(ids[1] ?? '')).toHaveLength(1);
  expect(await movementsOf(ids[3] ?? '')).toHaveLength(0);
});

it('begins to track a variant with the first number, and reports somebody who did so meanwhile', async () => {
  const { id, ids, path } = await stockedShirt();
  const last = ids[3] ?? '';
  const cells = fieldsIn((await browser.open(path)).text);
  expect((await send(path, { ...cells, on_hand: ['8', '8', '8', '0'] })).status).toBe(303);
  const [, , , begun] = await variantsOf(id);
  expect(begun?.inventory).toMatchObject({ on_hand: 0, track_inventory: true });
  expect(await movementsOf(last)).toHaveLength(0);
  const version = fieldsIn((await browser.open(path)).text).version ?? [];
  const late = await send(path, { ...cells, version, on_hand: ['8', '8', '8', '4'] });
  expect([late.status, textOf(late.text)]).toEqual([
    409,
    expect.stringContaining('Stock tracking was turned on after you opened this page, with 0 on hand'),
  ]);
  expect((await send(path, fieldsIn(late.text))).status).toBe(303);
  expect(await onHandOf(id)).toEqual([8, 8, 8, 4]);
  expect((await movementsOf(last)).at(-1)).toMatchObject({ delta: 4, reason: 'correction' });
  await changeRules(app.ctx, last, { trackInventory: false });
  const off = fieldsIn((await browser.open(path)).text);
  const turnedOff = await send(path, {
    ...off,
    on_hand: ['8', '8', '8', '5'],
    on_hand_was: ['8', '8', '8', '4'],
  });
  expect(textOf(turnedOff.text)).toContain('Save again to track it with your number');
  expect((await send(path, fieldsIn(turnedOff.text))).status).toBe(303);
  expect(await onHandOf(id)).toEqual([8, 8, 8, 5]);
});

it('saves nothing once an order has changed what was shown, says so, and takes it after that', async () => {
  const { id, ids, path } = await stockedShirt();
  const cells = fieldsIn((await browser.open(path)).text);
  await adjust(app.ctx, ids[0] ?? '', { delta: -2, reason: 'damaged' });
  await adjust(app.ctx, ids[1] ?? '', { delta: -1, reason: 'damaged' });
  const price = ['99', '99', '99', '99'];
  const refused = await send(path, { ...cells, price, on_hand: ['10', '8', '9', ''] });
  expect(refused.status).toBe(409);
  expect(textOf(refused.text)).toContain('Nothing was saved: the stock changed after you opened this page');
  expect(textOf(refused.text)).toContain('The stock changed from 8 to 6 after you opened this page');
  expect(await onHandOf(id)).toEqual([6, 7, 8, 0]);
  expect((await variantsOf(id)).every((one) => one.price_cents !== 9900)).toBe(true);
  // The second was not touched: it is shown as it is now, and stays so.
  const again = fieldsIn(refused.text);
  expect([again.on_hand, again.on_hand_was]).toEqual([
    ['10', '7', '9', ''],
    ['6', '7', '8', ''],
  ]);
  expect((await send(path, again)).status).toBe(303);
  expect(await onHandOf(id)).toEqual([10, 7, 9, 0]);
});

it('reports a changed number even after the page was shown again for another error', async () => {
  const { id, ids, path } = await stockedShirt();
  const cells = fieldsIn((await browser.open(path)).text);
  await adjust(app.ctx, ids[0] ?? '', { delta: -2, reason: 'damaged' });
  const first = await send(path, { ...cells, price: ['x', '1', '1', '1'], on_hand: ['10', '8', '8', ''] });
  expect(first.status).toBe(400);
  const second = await send(path, { ...fieldsIn(first.text), price: ['1', '1', '1', '1'] });
  expect(second.status).toBe(409);
  expect(await onHandOf(id)).toEqual([6, 8, 8, 0]);
});

it('takes one of two forms that were open at once', async () => {
  const { id, path } = await stockedShirt();
  const { browser: other } = await member(app);
  const cells = fieldsIn((await browser.open(path)).text);
  const sent = await Promise.all([
    send(path, { ...cells, on_hand: ['11', '5', '8', ''] }),
    send(path, { ...cells, on_hand: ['12', '4', '8', ''] }, other),
  ]);
  expect(sent.map(({ status }) => status).sort()).toEqual([303, 409]);
  const won = sent[0]?.status === 303 ? [11, 5, 8, 0] : [12, 4, 8, 0];
  expect(await onHandOf(id)).toEqual(won);
});

it('refuses to go below what orders reserve, and anything that is not a number', async () => {
  const { id, ids, path } = await stockedShirt();
  const number = another();
  const item = { variantId: ids[0] ?? '', quantity: 3, orderItemId: `oit_${number}` };
  await reserve(app.ctx, `ord_${number}`, [item], '2099-01-01T00:00:00.000Z');
  const cells = fieldsIn((await browser.open(path)).text);
  const held = await send(path, { ...cells, on_hand: ['2', '8', '8', ''] });
  expect([held.status, textOf(held.text)]).toEqual([
    400,
    expect.stringContaining('with 3 reserved for orders'),
  ]);
  const wrong = await send(path, { ...cells, on_hand: ['many', '-1', '8', ''] });
  expect([wrong.status, textOf(wrong.text)]).toEqual([
    400,
    expect.stringContaining('“many” is not a whole number of units'),
  ]);
  expect((await send(path, { ...cells, on_hand: ['8', '-1', '8', ''] })).status).toBe(400);
  expect(await onHandOf(id)).toEqual([8, 8, 8, 0]);
});

it('is changed by those alone who may change stock', async () => {
  const { id, path } = await stockedShirt();
  const { browser: clerk } = await member(app, ['products:read', 'products:write']);
  const { text } = await clerk.open(path);
  const cells = fieldsIn(text);
  expect([cells.on_hand, cells.on_hand_was]).toEqual([Array(4).fill(''), Array(4).fill('')]);
  expect((await send(path, { ...cells, weight: ['5', '5', '5', '5'] }, clerk)).status).toBe(303);
  const forged = { ...cells, on_hand: ['9', '', '', ''], on_hand_was: ['8', '', '', ''] };
  const version = fieldsIn((await clerk.open(path)).text).version ?? [];
  expect((await send(path, { ...forged, version }, clerk)).status).toBe(403);
  expect(await onHandOf(id)).toEqual([8, 8, 8, 0]);
});
