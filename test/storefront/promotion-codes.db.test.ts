// The many codes of a promotion: made, listed, exported and disabled; what is refused.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as promotions from '#storefront/pricing/promotions/index.ts';
import { csvItems } from '../platform/admin/resource-walk.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { another, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

const coupon = (fields: object = {}) =>
  client.data('/promotions', 'POST', {
    name: `Coupon ${another()}`,
    type: 'coupon',
    effect: 'percent',
    percent_bps: 1000,
    ...fields,
  });
type Added = { created: number; codes: string[] };
const add = async (id: unknown, body: object) =>
  (await client.data(`/promotions/${id}/codes`, 'POST', body)) as unknown as Added;
const listed = async (id: unknown, more = '') =>
  (await client.send(`/promotions/${id}/codes${more}`)).body.data as unknown as Record<string, unknown>[];

it('makes 1,000 different codes at once, with the requested prefix and length', async () => {
  const { id } = await coupon();
  const { result, changes } = await app.changesBy(() => add(id, { count: 1000, prefix: 'Sun-', length: 10 }));
  expect(changes).toEqual({
    events: ['promotion.codes_added'],
    rows: { promotion_codes: '+1000', code_registry: '+1000' },
  });
  expect(result.created).toBe(1000);
  expect(new Set(result.codes).size).toBe(1000);
  // Nothing that is read as something else.
  for (const code of result.codes) expect(code).toMatch(/^Sun-[2-9A-HJ-NP-Z]{10}$/);
  const [one] = await listed(id);
  expect(one).toEqual({
    id: expect.stringMatching(/^pcd_/),
    promotion_id: id,
    code: expect.stringMatching(/^Sun-/),
    usage_limit: 1,
    used_count: 0,
    disabled_at: null,
    expires_at: null,
    created_at: expect.any(String),
  });
  expect((await client.data(`/promotions/${id}`)).code_count).toBe(1000);
  expect((await add(id, { count: 1 })).codes[0]).toMatch(/^[2-9A-HJ-NP-Z]{8}$/);
});

it('takes codes that were thought of elsewhere, all or none', async () => {
  const { id } = await coupon();
  const number = another();
  const mine = [`VIP-${number}`, `vip-${number}-b`];
  const body = { codes: mine, usage_limit: null, expires_at: '2030-01-01T00:00:00Z' };
  expect(await add(id, body)).toEqual({ created: 2, codes: mine });
  expect(await listed(id, `?q=VIP-${number}-b`)).toEqual([
    expect.objectContaining({ usage_limit: null, expires_at: '2030-01-01T00:00:00.000Z' }),
  ]);
  const path = `/promotions/${id}/codes`;
  const taken = [400, 'VALIDATION_ERROR', 'DUPLICATE'];
  expect(await client.refusal(path, 'POST', { codes: ['NEW-1', mine[0]] })).toEqual(taken);
  expect(await client.refusal(path, 'POST', { codes: ['NEW-1', 'new-1'] })).toEqual(taken);
  expect(await listed(id)).toHaveLength(2);
});

it('refuses what makes no codes', async () => {
  const { id } = await coupon();
  const path = `/promotions/${id}/codes`;
  const codeOf = async (body: object) => {
    const { status, body: answer } = await client.send(path, 'POST', body);
    return [status, answer.error_code];
  };
  expect(await codeOf({})).toEqual([400, 'VALIDATION_MISSING_FIELD']);
  for (const body of [
    { count: 0 },
    { count: 1001 },
    { count: 1.5 },
    { count: '5' },
    { count: 1, codes: ['AB'] },
    { count: 1, length: 5 },
    { count: 1, length: 21 },
    { count: 1, prefix: '=SUM' },
    { count: 1, prefix: 'x'.repeat(16) },
    { codes: [] },
    { codes: ['=1+1'] },
    { codes: ['two words'] },
    { codes: 'AB' },
    { count: 1, usage_limit: 0 },
    { count: 1, expires_at: 'soon' },
  ])
    expect([body, ...(await codeOf(body))]).toEqual([body, 400, 'VALIDATION_ERROR']);
  const automatic = await coupon({ type: 'automatic' });
  expect(await client.refusal(`/promotions/${automatic.id}/codes`, 'POST', { count: 1 })).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  expect((await client.send('/promotions/pro_no/codes', 'POST', { count: 1 })).status).toBe(404);
});

it('lists used and unused ones, and exports a file that a spreadsheet runs nothing of', async () => {
  const { id } = await coupon();
  const { codes } = await add(id, { count: 3 });
  const [first] = await listed(id, `?q=${codes[0]}`);
  const buyer = { orderId: 'ord_codes', customerId: null, emailNorm: 'bob@x.test' };
  await client.data(`/promotions/${id}/activate`, 'POST', {});
  await promotions.take(app.ctx, buyer, [
    { promotionId: String(id), codeId: String(first?.id), amountCents: 100 },
  ]);
  expect((await listed(id, '?used=true')).map(({ code }) => code)).toEqual([codes[0]]);
  expect(await listed(id, '?used=false')).toHaveLength(2);
  const { status, text, headers } = await client.send(`/promotions/${id}/codes/export.csv`);
  expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  const { records, formulas } = csvItems(text);
  expect(records.map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
  expect(formulas).toEqual([]);
});

it('disables one, once, and keeps it in the list and taken', async () => {
  const { id } = await coupon();
  const { codes } = await add(id, { count: 1 });
  const [one] = await listed(id);
  const path = `/promotions/${id}/codes/${one?.id}`;
  const { changes } = await app.changesBy(() => client.data(path, 'DELETE'));
  expect(changes.events).toEqual(['promotion_code.disabled']);
  expect(await client.data(path)).toMatchObject({ disabled_at: expect.any(String) });
  const again = await app.changesBy(() => client.data(path, 'DELETE'));
  expect(again.changes).toEqual({ events: [], rows: {} });
  expect(await client.refusal(`/promotions/${id}/codes`, 'POST', { codes })).toEqual([
    400,
    'VALIDATION_ERROR',
    'DUPLICATE',
  ]);
  const other = await coupon();
  expect((await client.send(`/promotions/${other.id}/codes/${one?.id}`, 'DELETE')).status).toBe(404);
  expect((await client.send(`/promotions/${id}/codes/pcd_no`, 'DELETE')).status).toBe(404);
});
