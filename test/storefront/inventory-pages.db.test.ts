// Stock in the panel, without a script: adjusted by a form, counted by a file that is shown before it is taken.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, rowsOf, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { another, mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
});
afterAll(() => app.close());

async function variant(stock?: number, sku = `P-${another()}`) {
  const made = await client.data('/products', 'POST', mug({ variants: [{ sku, price_cents: 5, stock }] }));
  return { id: (made.variants as { id: string }[])[0]?.id ?? '', sku, productId: made.id };
}
const onHand = async (id: string) => (await client.data(`/inventory/${id}`)).on_hand;

/** Sends a form of the page of counts. */
async function counts(fields: Record<string, string>, file?: string) {
  const _csrf = tokenIn((await browser.open('/store/inventory/counts')).text);
  const parts = Object.entries({ _csrf, ...fields }).map(
    ([name, value]) => `--xx\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  if (file !== undefined)
    parts.push(
      `--xx\r\nContent-Disposition: form-data; name="file"; filename="counts.csv"\r\nContent-Type: text/csv\r\n\r\n${file}\r\n`,
    );
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return app.send('/store/inventory/counts', {
    method: 'POST',
    body: `${parts.join('')}--xx--\r\n`,
    headers: { Cookie: cookie, 'Content-Type': 'multipart/form-data; boundary=xx' },
  });
}

it('lists stock, leads from a variant to it, and changes it by a form', async () => {
  const { id, sku, productId } = await variant(9);
  const list = await browser.open(`/store/inventory?q=${sku}`);
  expect([list.status, rowsOf(list.text)]).toMatchObject([200, [expect.arrayContaining([sku, '9'])]]);
  const variantPage = await browser.open(`/store/variants/${id}`);
  expect(variantPage.text).toContain(`/store/inventory/${id}`);
  expect(textOf(variantPage.text)).toContain('In stock 9 can be sold: 9 in stock, 0 reserved');
  expect(textOf(variantPage.text)).toMatch(/Price \$\d+\.\d\d/);
  for (const raw of ['cents', '{', 'trackInventory']) expect(textOf(variantPage.text)).not.toContain(raw);
  expect((await browser.open(`/store/products/${productId}?tab=variants`)).status).toBe(200);
  const item = await browser.open(`/store/inventory/${id}`);
  expect(textOf(item.text)).toContain('9 on hand, 0 of them reserved');
  const form = `/store/inventory/${id}/stock`;
  const sent = await browser.submit(form, { how: 'delta', units: '-2', reason: 'damaged', note: 'Broken' });
  expect([sent.status, sent.headers.location]).toEqual([303, `/store/inventory/${id}?done=adjust`]);
  expect(await onHand(id)).toBe(7);
  await browser.submit(form, { how: 'set_to', units: '20', reason: 'count', note: '' });
  expect(await onHand(id)).toBe(20);
  expect(textOf((await browser.open(`/store/inventory/${id}?tab=movements`)).text)).toContain('Broken');
  expect((await browser.open(`/store/inventory/${id}?tab=reservations`)).status).toBe(200);
  for (const units of ['many', '-21', '1.5', '99999999999']) {
    const refused = await browser.submit(form, { how: 'delta', units, reason: 'count', note: '<b>' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('field-units-error');
    expect(refused.text).toContain('&lt;b&gt;');
  }
  expect(await onHand(id)).toBe(20);
});

it('a variant whose stock is changed by the form is tracked from then on, if that is ticked', async () => {
  const { id } = await variant();
  const form = `/store/inventory/${id}/stock`;
  expect((await browser.open(`/store/inventory/${id}`)).text).toMatch(/name="track"[^>]* checked/);
  const isTracked = async () => (await client.data(`/inventory/${id}`)).track_inventory;
  await browser.submit(form, { how: 'set_to', units: '4', reason: 'count', note: '' });
  expect([await onHand(id), await isTracked()]).toEqual([4, false]);
  const refused = await browser.submit(form, {
    how: 'delta',
    units: '-9',
    reason: 'count',
    note: '',
    track: 'true',
  });
  expect([refused.status, await isTracked()]).toEqual([400, false]);
  await browser.submit(form, { how: 'delta', units: '-1', reason: 'damaged', note: '', track: 'true' });
  expect([await onHand(id), await isTracked()]).toEqual([3, true]);
  expect((await browser.open(`/store/inventory/${id}`)).text).not.toContain('name="track"');
});

it('changes rules by a form', async () => {
  const { id } = await variant(9);
  const sent = await browser.submit(`/store/inventory/${id}/edit`, {
    trackInventory: 'true',
    allowBackorder: 'true',
    lowStockThreshold: '10',
  });
  expect(sent.status).toBe(303);
  expect(await client.data(`/inventory/${id}`)).toMatchObject({
    backorder: true,
    threshold: 10,
    state: 'low',
  });
});

it('shows what a file of counts would change before it does, line by line', async () => {
  const [one, two, formula] = [await variant(4), await variant(), await variant(1, `=SUM-${another()}`)];
  const file = [
    'product;SKU;Count',
    `x;${one.sku};7`,
    `x;${two.sku.toLowerCase()};3`,
    `x;'${formula.sku};2`,
    'x;NO-SUCH;1',
    `x;${one.sku};9`,
    'x;;5',
    `x;<i>;ten`,
  ].join('\r\n');
  const shown = await counts({ do: 'check', track: 'true' }, file);
  expect(shown.status).toBe(200);
  const text = textOf(shown.text);
  expect(text).toContain('3 of 3 rows change stock');
  expect(text).toContain('4 lines are skipped');
  expect(text).toContain('Line 5, NO-SUCH : No variant has this SKU');
  expect(text).toContain('The SKU is in line 2 already');
  expect(shown.text).not.toContain('<i>');
  expect(rowsOf(shown.text)[0]).toEqual(['2', one.sku, '4', '7', '+3']);
  expect(await onHand(one.id)).toBe(4);
  const [, rows = ''] = /<textarea name="rows" hidden>\s*([\s\S]*?)<\/textarea>/.exec(shown.text) ?? [];
  const done = await counts({ do: 'apply', track: 'true', rows: rows.replaceAll('&#39;', "'") });
  expect([done.status, done.headers.location]).toEqual([303, '/store/inventory/counts?updated=3']);
  expect([await onHand(one.id), await onHand(two.id), await onHand(formula.id)]).toEqual([7, 3, 2]);
  expect((await client.data(`/inventory/${two.id}`)).track_inventory).toBe(true);
  expect(textOf((await browser.open('/store/inventory/counts?updated=3')).text)).toContain('3 stock levels');
  const out = await client.send('/inventory/counts.csv');
  expect([out.status, out.text]).toEqual([200, expect.stringContaining(`${one.sku},7,`)]);
  expect(out.text).toContain(`'${formula.sku},2`);
});

it.each([
  ['without its columns', 'a,b\r\n1,2\r\n', 'The first line must have the columns sku and count'],
  ['that is empty', '', 'The file is empty'],
  ['with a quote that never closes', 'sku,count\r\n"a,1\r\n', 'quote'],
  ['that is too long', `sku,count\r\n${'x,1\r\n'.repeat(5001)}`, 'at most 5000 rows'],
])('refuses a file %s', async (_what, file, message) => {
  const { status, text } = await counts({ do: 'check' }, file);
  expect([status, textOf(text)]).toEqual([400, expect.stringContaining(message)]);
});

it('finds products whose stock is low', async () => {
  const [low, high] = [await variant(1), await variant(50)];
  const found = async (query: string) =>
    ((await client.send(`/products?per_page=100&${query}`)).body.data as unknown as { id: string }[]).map(
      ({ id }) => id,
    );
  expect(await found('low_stock=true')).toEqual(expect.arrayContaining([low.productId]));
  expect(await found('low_stock=true')).not.toContain(high.productId);
  expect(await found('low_stock=false')).toContain(high.productId);
});
