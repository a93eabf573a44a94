// Promotions as a person makes them in the panel: percentages as such, amounts in the currency, goods by name.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Browser } from '../support/browser.ts';
import { mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
let mugs: string;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
  mugs = (await client.data('/categories', 'POST', { name: 'Mugs' })).id;
});
afterAll(() => app.close());

const NEW = '/store/promotions/new';
/** What a form makes. */
async function made(fields: Record<string, string>): Promise<Record<string, unknown>> {
  const { status, headers, text } = await browser.submit(NEW, fields);
  expect([status, status === 303 ? '' : textOf(text)]).toEqual([303, '']);
  const id = /promotions\/(pro_\w+)/.exec(String(headers.location))?.[1];
  return client.data(`/promotions/${id}`);
}
const shownIn = (html: string, name: string) =>
  new RegExp(`<input[^>]*name="${name}"[^>]*value="([^"]*)"`).exec(html)?.[1] ??
  new RegExp(`<textarea[^>]*name="${name}"[^>]*>\\s*([^<]*)</textarea>`).exec(html)?.[1];

it('the form speaks of percent and of the currency, not of basis points or cents', async () => {
  const words = textOf((await browser.open(NEW)).text);
  for (const label of [
    'Percent off (%)',
    'Amount off, or fixed price (USD)',
    'Only these products (one per line)',
  ])
    expect(words).toContain(label);
  for (const word of ['bps', 'asis point', 'cents', 'JSON', 'Cancel More']) expect(words).not.toContain(word);
});

it('10 % off everything with code TEN', async () => {
  const one = await made({ name: 'Ten', code: 'TEN', effect: 'percent', percentBps: '10', status: 'active' });
  expect(one).toMatchObject({ type: 'coupon', class: 'order', value: 1000, display_status: 'active' });
  const page = textOf((await browser.open(`/store/promotions/${one.id}`)).text);
  expect(page).toContain('10 % off the order');
});

it('buy 2 get 1 of category mugs', async () => {
  const one = await made({
    name: 'Three mugs',
    effect: 'bogo',
    buyQuantity: '2',
    buy: 'category mugs',
    getQuantity: '1',
  });
  expect(one).toMatchObject({ type: 'bogo', buy: { categories: [mugs] }, get: null, get_value: 10_000 });
  const page = textOf((await browser.open(`/store/promotions/${one.id}`)).text);
  expect(page).toContain('Buy 2, get 1 free');
  expect(page).toContain('category Mugs');
});

it('free shipping over 50 in November, in some countries', async () => {
  const one = await made({
    name: 'November',
    effect: 'free_shipping',
    minSubtotalCents: '50',
    startsAt: '2026-11-01',
    endsAt: '2026-11-30',
    shippingRule: 'de, at',
  });
  expect(one).toMatchObject({
    class: 'shipping',
    min_subtotal_cents: 5000,
    starts_at: '2026-11-01T00:00:00.000Z',
    ends_at: '2026-11-30T23:59:59.999Z',
    shipping_rule: { countries: ['DE', 'AT'], method_ids: [] },
  });
});

it('shows what was typed when it is changed, and sends only what was changed', async () => {
  const product = await client.data('/products', 'POST', mug());
  const [variant] = product.variants as { id: string; sku: string }[];
  const one = await made({
    name: 'Some',
    effect: 'fixed_amount',
    amountCents: '2.50',
    appliesTo: `Category: mugs\nsku ${variant?.sku.toLowerCase()}\nproduct ${product.slug}\ntag Sale`,
    customerRule: 'emails at Example.com',
    scheduleRule: 'Mon-Fri 9:00-17:00',
  });
  expect(one).toMatchObject({
    class: 'item',
    value: 250,
    applies_to: {
      categories: [mugs],
      variants: [variant?.id],
      products: [product.id],
      tags: ['SALE'],
    },
    customer_rule: { kind: 'email_domains', values: ['example.com'] },
    schedule_rule: { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' },
  });
  const edit = `/store/promotions/${one.id}/edit`;
  const { text } = await browser.open(edit);
  expect(shownIn(text, 'amountCents')).toBe('2.50');
  const goods = shownIn(text, 'appliesTo') ?? '';
  expect(goods.split('\n').toSorted()).toEqual(
    ['category mugs', `product ${product.slug}`, `variant ${variant?.sku}`, 'tag SALE'].toSorted(),
  );
  expect(shownIn(text, 'customerRule')).toBe('emails at example.com');
  expect(shownIn(text, 'scheduleRule')).toBe('Mon, Tue, Wed, Thu, Fri 09:00-17:00');
  const was = { 'was.appliesTo': goods, appliesTo: '', 'was.amountCents': '2.50', amountCents: '3' };
  expect((await browser.submit(edit, was)).status).toBe(303);
  expect(await client.data(`/promotions/${one.id}`)).toMatchObject({
    applies_to: 'all',
    value: 300,
    customer_rule: { kind: 'email_domains' },
    version: 2,
  });
});

it('says beside the field what it did not understand', async () => {
  const base = { name: 'Wrong', effect: 'percent', percentBps: '10' };
  for (const [sent, sentence] of [
    [{ percentBps: 'ten' }, '“ten” is not a percentage; enter it as 10 or 12.5'],
    [{ percentBps: '110' }, 'must be more than 0 and at most 100 %'],
    [{ percentBps: '0' }, 'must be more than 0 and at most 100 %'],
    [{ appliesTo: 'mugs' }, '“mugs” has no type; write product, variant, category'],
    [{ appliesTo: 'category cups' }, 'Only these products names category cups, which does not exist'],
    [{ startsAt: '2026-12-01', endsAt: '2026-11-01' }, 'Until must be later than "From"'],
    [{ maxUnits: '3' }, 'Maximum units is only for promotions on single items'],
    [{ customerRule: 'friends' }, '“friends” is not understood; write logged in, first order'],
    [{ scheduleRule: 'weekends' }, '“weekends” is not understood; write days and hours'],
    [{ effect: 'fixed_amount', amountCents: 'cheap', percentBps: '' }, '“cheap” is not an amount'],
    [{ effect: 'bogo', percentBps: '' }, 'is required'],
  ] as const) {
    const { status, text } = await browser.submit(NEW, { ...base, ...sent });
    expect([sent, status, textOf(text)]).toEqual([sent, 400, expect.stringContaining(sentence)]);
    // Beside the field, where a screen reader finds it.
    expect(text).toMatch(/class="field-error" id="field-\w+-error"/);
  }
});

it('adds codes in a form, and leads to their file', async () => {
  const one = await made({ name: 'Fair', type: 'coupon', effect: 'percent', percentBps: '12,5' });
  expect(one).toMatchObject({ value: 1250 });
  const path = `/store/promotions/${one.id}/codes`;
  expect((await browser.open(`/store/promotions/${one.id}?tab=codes`)).text).toContain(`${path}/generate`);
  const form = await browser.open(`${path}/generate`);
  expect(textOf(form.text)).toContain('How many');
  const { status, text } = await browser.submit(`${path}/generate`, { count: '3', prefix: 'FAIR-' });
  expect([status < 400, textOf(text)]).toEqual([true, expect.any(String)]);
  const { body } = await client.send(`/promotions/${one.id}/codes`);
  expect(body.data).toHaveLength(3);
});
