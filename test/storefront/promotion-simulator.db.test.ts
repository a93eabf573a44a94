// Carts that are made up: which promotions apply, which do not and why, by JSON and on the panel's page.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Browser } from '../support/browser.ts';
import { mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
const skus: string[] = [];
let ids: { ten: string; bogo: string; ship: string; many: string };
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
  const top = await client.data('/categories', 'POST', { name: 'Kitchen' });
  const mugs = await client.data('/categories', 'POST', { name: 'Mugs', parent_id: top.id });
  const picks = await client.data('/collections', 'POST', {
    title: 'Picks',
    kind: 'rule',
    rules: [{ field: 'tag', op: 'is', value: 'pick' }],
  });
  for (const more of [{ category_ids: [mugs.id] }, { tags: ['pick'] }, { is_discountable: false }]) {
    const made = await client.data('/products', 'POST', mug({ status: 'active', ...more }));
    skus.push((made.variants as { sku: string }[])[0]?.sku ?? '');
  }
  const make = async (fields: object) =>
    (await client.data('/promotions', 'POST', { status: 'active', ...fields })).id;
  ids = {
    ten: await make({ name: 'Ten', effect: 'percent', percent_bps: 1000, code: 'TEN' }),
    bogo: await make({
      name: 'Kitchen three',
      effect: 'bogo',
      buy: { categories: [top.slug] },
      buy_quantity: 2,
      get_quantity: 1,
    }),
    ship: await make({ name: 'November', effect: 'free_shipping', min_subtotal_cents: 5000 }),
    many: await make({
      name: 'Picks',
      type: 'coupon',
      effect: 'fixed_amount',
      amount_cents: 500,
      code: 'PICK',
      applies_to: { collections: [picks.slug] },
    }),
  };
});
afterAll(() => app.close());

type Answer = Record<'applied' | 'rejected' | 'candidates', { id: string; reason?: string }[]> & {
  totals: Record<string, unknown>;
  line_discounts: number[];
};
const simulate = async (body: object) =>
  (await client.data('/promotions/simulate', 'POST', body)) as unknown as Answer;
const [kitchen, pick, never] = [0, 1, 2].map((at) => (quantity: number) => ({ sku: skus[at], quantity })) as [
  (quantity: number) => object,
  (quantity: number) => object,
  (quantity: number) => object,
];
const reasons = ({ rejected }: Answer) => Object.fromEntries(rejected.map(({ id, reason }) => [id, reason]));

it('prices a cart with what applies, what does not and why, and what each would save alone', async () => {
  const { result, changes } = await app.changesBy(() =>
    simulate({ lines: [kitchen(3), never(1)], codes: [' ten '], shipping_cents: 490 }),
  );
  expect(changes).toEqual({ events: [], rows: {} });
  expect(result).toMatchObject({
    mode: 'best_wins',
    line_discounts: [1900, 0],
    applied: [
      { id: ids.bogo, amount_cents: 1900, lines: [1900, 0], shipping_cents: 0 },
      { id: ids.ship, amount_cents: 490, shipping_cents: 490 },
    ],
    totals: {
      subtotal_cents: 7600,
      discount_cents: 1900,
      shipping_cents: 490,
      shipping_discount_cents: 490,
      total_cents: 5700,
      currency: 'USD',
    },
  });
  expect(result.rejected).toEqual([
    expect.objectContaining({
      id: ids.ten,
      code: 'TEN',
      reason: 'not_best',
      message: 'Another promotion saves more.',
    }),
  ]);
  expect(result.candidates).toEqual(
    expect.arrayContaining([
      { id: ids.bogo, name: 'Kitchen three', code: null, saving_cents: 1900 },
      { id: ids.ten, name: 'Ten', code: 'TEN', saving_cents: 570 },
    ]),
  );
});

it('tells how much is missing, and finds goods by the categories above them and by rules', async () => {
  const two = await simulate({ lines: [kitchen(2)], codes: ['pick'], shipping_cents: 490 });
  expect(reasons(two)).toEqual({
    [ids.ship]: 'min_subtotal',
    [ids.bogo]: 'not_eligible_items',
    [ids.many]: 'not_eligible_items',
  });
  expect(two.rejected).toContainEqual(
    expect.objectContaining({
      missing_cents: 1200,
      message: 'The cart is $12.00 below its minimum.',
    }),
  );
  expect(two).toMatchObject({ hints: [{ id: ids.bogo, missing_units: 1 }] });
  expect((await simulate({ lines: [pick(2)], codes: ['PICK'] })).line_discounts).toEqual([1000]);
});

it('takes another mode, another time, and drafts, and a price of its own', async () => {
  const none = await simulate({ lines: [kitchen(3)], codes: ['TEN'], mode: 'none' });
  expect(none.applied.map(({ id }) => id)).toEqual([ids.ten]);
  expect((await simulate({ lines: [{ ...kitchen(1), unit_cents: 100 }] })).totals.subtotal_cents).toBe(100);
  const future = await client.data('/promotions', 'POST', {
    name: 'Later',
    effect: 'percent',
    percent_bps: 9000,
    code: 'LATER',
    starts_at: '2099-11-01T00:00:00Z',
    ends_at: '2099-12-01T00:00:00Z',
  });
  const later = { lines: [kitchen(1)], codes: ['LATER'] };
  const at = async (time: string) =>
    reasons(await simulate({ ...later, with_drafts: true, at: time }))[future.id];
  expect(await at('2099-10-31T23:59:59.999Z')).toBe('not_started');
  expect(await at('2099-11-01T00:00:00.000Z')).toBe(undefined);
  expect(await at('2099-11-30T23:59:59.999Z')).toBe(undefined);
  expect(await at('2099-12-01T00:00:00.000Z')).toBe('expired');
  expect(reasons(await simulate({ ...later, at: '2099-11-02T00:00:00Z' }))[future.id]).toBe('not_started');
});

it('knows generated codes with their own limits, and who used up what', async () => {
  const promotion = await client.data('/promotions', 'POST', {
    name: 'Once each',
    type: 'coupon',
    effect: 'percent',
    percent_bps: 2000,
    usage_limit_per_customer: 1,
  });
  const path = `/promotions/${promotion.id}/codes`;
  const { codes } = (await client.data(path, 'POST', { count: 2 })) as unknown as { codes: string[] };
  await client.data(`/promotions/${promotion.id}/activate`, 'POST', {});
  const [first = '', second = ''] = codes;
  const cart = { lines: [pick(1)] };
  expect((await simulate({ ...cart, codes: [first] })).applied[0]).toMatchObject({ code: first });
  const { body } = await client.send(`${path}?q=${first}`);
  const [row] = body.data as unknown as { id: string }[];
  const { take } = await import('#storefront/pricing/promotions/index.ts');
  await take(app.ctx, { orderId: 'ord_s', customerId: null, emailNorm: 'ann@x.test' }, [
    { promotionId: promotion.id, codeId: row?.id ?? null, amountCents: 380 },
  ]);
  const outcome = async (more: object) =>
    reasons(await simulate({ ...cart, ...more }))[promotion.id] ?? 'applies';
  expect(await outcome({ codes: [first] })).toBe('exhausted');
  expect(await outcome({ codes: [second] })).toBe('applies');
  expect(await outcome({ codes: [first, second] })).toBe('applies');
  expect(await outcome({ codes: [second], email: 'Ann@X.test' })).toBe('per_customer_limit');
  await client.data(`/promotions/${promotion.id}/pause`, 'POST', {});
  expect(await outcome({ codes: [second] })).toBe('expired');
});

it('refuses a cart that cannot be', async () => {
  const refused = async (body: object) => {
    const { status, body: answer } = await client.send('/promotions/simulate', 'POST', body);
    const { reason } = (answer.details ?? {}) as { reason?: string };
    return [status, answer.error_code, ...(reason ? [reason] : [])];
  };
  expect(await refused({})).toEqual([400, 'VALIDATION_MISSING_FIELD']);
  expect(await refused({ lines: [kitchen(1)], codes: ['NOBODY'] })).toEqual([
    400,
    'VALIDATION_ERROR',
    'PROMOTION_INVALID',
  ]);
  for (const body of [
    { lines: [] },
    { lines: 'all' },
    { lines: [{ quantity: 1 }] },
    { lines: [{ sku: 'NO-SUCH', quantity: 1 }] },
    { lines: [{ variant_id: 'var_no', quantity: 1 }] },
    { lines: [kitchen(0)] },
    { lines: [kitchen(-1)] },
    { lines: [kitchen(1.5)] },
    { lines: [kitchen(1000)] },
    { lines: [{ ...kitchen(1), unit_cents: -1 }] },
    { lines: [kitchen(1)], shipping_cents: -1 },
    { lines: [kitchen(1)], mode: 'all' },
    { lines: [kitchen(1)], at: 'now' },
    { lines: [kitchen(1)], codes: 'TEN' },
    { lines: [kitchen(1)], country: 'Germany' },
  ])
    expect([body, ...(await refused(body))]).toEqual([body, 400, 'VALIDATION_ERROR']);
  const body = { lines: [kitchen(1)] };
  expect((await app.send('/api/store/promotions/simulate', { method: 'POST', body })).status).toBe(401);
  const fulfilment = await storeClient(app, 'fulfilment');
  expect((await fulfilment.send('/promotions/simulate', 'POST', body)).status).toBe(403);
});

it('the page says it in words, without JavaScript', async () => {
  const path = '/store/promotions/simulator';
  expect(textOf((await browser.open(path)).text)).toContain('Try a cart');
  const form = { sku: skus[0] ?? '', quantity: '3', codes: 'ten', shipping: '4,90' };
  const { status, text } = await browser.submit(path, form);
  expect(status).toBe(200);
  const words = textOf(text);
  for (const sentence of [
    'Kitchen three',
    '$19.00 off, computed from $19.00',
    'Another promotion saves more.',
    'Each of these alone would save',
    '$5.70',
    'Total, without tax',
    '$38.00',
  ])
    expect(words).toContain(sentence);
  for (const [sent, problem] of [
    [{ sku: '' }, 'Enter the SKU of at least one variant'],
    [{ sku: 'NO-SUCH' }, 'Line 1: variant with the SKU NO-SUCH does not exist'],
    [{ sku: skus[0] ?? '', quantity: '0' }, 'Line 1: the quantity must be a whole number from 1 to 999'],
    [{ sku: skus[0] ?? '', shipping: 'free' }, 'Shipping: “free” is not an amount'],
    [{ sku: skus[0] ?? '', codes: 'NOBODY' }, 'no promotion has the code NOBODY'],
    [{ sku: skus[0] ?? '', codes: '<b>x' }, 'no promotion has the code <B>X'],
  ] as const) {
    const wrong = await browser.submit(path, sent);
    expect([wrong.status, textOf(wrong.text)]).toEqual([400, expect.stringContaining(problem)]);
    expect(wrong.text).not.toContain('<B>X');
  }
});
