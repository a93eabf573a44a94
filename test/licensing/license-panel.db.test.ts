// What a support agent asks of a license in the browser: what it may use, what would be answered and why, and a token
// for a machine without a network.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as policies from '#licensing/catalog/policies/index.ts';
import { suspend, update } from '#licensing/licenses/licenses/index.ts';
import { mintedLicense } from '../contract/staff/minted.ts';
import { fieldsOf, member, rowsOf, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Browser } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';
import { delegatedProduct } from '../support/online-key.ts';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

const pageOf = (id: string, rest = '') => `/admin/licenses/${id}${rest}`;
const HOSTILE = '<script>x</script>\u202egpj';

it('shows what the policy gives and what the license says itself', async () => {
  const { id } = await mintedLicense(app.ctx);
  const policy = await policies.create(app.ctx, { name: HOSTILE, entitlements: { export: true, seats: 5 } });
  await update(app.ctx, id, { policyId: policy.id, features: { seats: 9, [HOSTILE]: HOSTILE } });
  const { text } = await browser.open(pageOf(id, '?tab=entitlements'));
  expect(rowsOf(text)).toEqual([
    [HOSTILE, JSON.stringify(HOSTILE), '', JSON.stringify(HOSTILE)],
    ['export', 'true', 'true', ''],
    ['seats', '9', '5', '9 overrides'],
  ]);
  expect(text).not.toContain('<script>x');
});

it('a license without a policy and without features says so', async () => {
  const { id } = await mintedLicense(app.ctx);
  const { text } = await browser.open(pageOf(id, '?tab=entitlements'));
  expect(textOf(text)).toContain('Neither the license nor its policy has features.');
});

it('explains what would be answered now, for the three usual requests and for one of them, and writes nothing', async () => {
  const { id } = await mintedLicense(app.ctx);
  expect((await browser.open(pageOf(id))).text).toContain(`href="/admin/simulator?licenseId=${id}"`);
  const before = await browser.open(`/admin/simulator?licenseId=${id}`);
  expect(
    [...before.text.matchAll(/<h2 id="answer-\d">([\s\S]*?)<\/h2>/g)].map(([, one = '']) => textOf(one)),
  ).toEqual([
    expect.stringMatching(/^validate: /),
    expect.stringMatching(/^activate: ACTIVATED|^activate: /),
    expect.stringMatching(/^checkout: /),
  ]);
  await suspend(app.ctx, id, { reason: 'ADMIN', note: null });
  const { result, changes } = await app.changesBy(() =>
    browser.open(
      `/admin/simulator?licenseId=${id}&action=validate&machineId=machine-1&at=2030-01-01T00%3A00`,
    ),
  );
  expect(textOf(result.text)).toContain('validate: SUSPENDED');
  expect(rowsOf(result.text).some(([verdict]) => verdict === 'fail')).toBe(true);
  expect(changes).toEqual(nothing);
});

it('tries a license that does not exist, and says what is wrong with a question', async () => {
  const productId = (await mintedLicense(app.ctx)).product.id;
  const draft = `/admin/simulator?productId=${productId}&type=PERPETUAL&tier=PERSONAL&action=activate&machineId=machine-1`;
  expect(textOf((await browser.open(draft)).text)).toMatch(/activate: (?:OK|VALID|ACTIVATED)/);
  for (const [asked, text] of [
    ['licenseId=lic_unknown', 'lic_unknown'],
    ['licenseId=%3Cscript%3Ex', 'No answer is possible'],
    ['productId=nothing', 'nothing'],
    [`productId=${productId}&action=validate-entitlement`, 'entitlement'],
    [`productId=${productId}&at=yesterday`, 'at must be'],
  ] as const) {
    const { status, text: html } = await browser.open(`/admin/simulator?${asked}`);
    expect([asked, [400, 404].includes(status), textOf(html).includes(text)]).toEqual([asked, true, true]);
    expect(html).not.toContain('<script>x');
  }
});

it('of another tenant it explains nothing, and who may not read licenses sees no page', async () => {
  const { id } = await mintedLicense(app.ctx);
  const other = await app.otherTenant();
  const { browser: stranger } = await member(app, undefined, other.tenantId);
  expect(textOf((await stranger.open(`/admin/simulator?licenseId=${id}`)).text)).toContain(
    'No answer is possible',
  );
  expect((await stranger.open(pageOf(id, '/offline-token'))).status).toBe(404);
  const { browser: clerk } = await member(app, ['orders:read']);
  expect((await clerk.open('/admin/simulator')).status).toBe(403);
});

it('makes an offline token that is shown once, for who may see secrets', async () => {
  const product = await app.product();
  await delegatedProduct(app.ctx, product);
  const { id } = await app.license({ productId: product.id });
  const path = pageOf(id, '/offline-token');
  const { text } = await browser.open(path);
  const machineId = 'machine-without-network';
  const refused = await browser.post(path, { ...fieldsOf(text), machineId });
  expect([refused.status >= 400, refused.text.includes(`value="${machineId}"`)]).toEqual([true, true]);
  const { result, changes } = await app.changesBy(() =>
    browser.post(path, { ...fieldsOf(text), machineId, activate: 'true' }),
  );
  expect([result.status, changes.rows.license_offline_tokens]).toEqual([200, '+1']);
  expect(result.text).toMatch(/<code class="secret">license\/[^<]+<\/code>/);
  const after = await browser.open(path);
  expect(rowsOf(after.text)).toHaveLength(1);
  expect(after.text).not.toContain('class="secret"');
  const bad = await browser.post(path, { ...fieldsOf(text), machineId, ttlDays: 'long' });
  expect([bad.status, textOf(bad.text).includes('whole number')]).toEqual([400, true]);
  const { browser: reader } = await member(app, ['licensing:read']);
  expect((await reader.open(path)).status).toBe(403);
  expect((await reader.open(pageOf(id))).text).not.toContain('/offline-token');
});

it('a limit of machines below what is in use says what becomes of them before it is saved, and they keep working', async () => {
  const { id, key } = await app.license({ maxActivations: 3 });
  const { secret } = await app.apiKey('VALIDATE_ONLY');
  for (const machineId of ['machine-one', 'machine-two', 'machine-three'])
    await app.post('/api/v1/license/activate', { licenseKey: key, machineId }, secret);
  const form = fieldsOf((await browser.open(pageOf(id, '/edit'))).text);
  const lower = { ...form, maxActivations: '1' };
  const asked = await app.changesBy(() => browser.post(pageOf(id, '/edit'), lower));
  expect([asked.result.status, asked.changes.rows.licenses]).toEqual([200, undefined]);
  const said = textOf(asked.result.text);
  expect(said).toContain('In use are 3 machines, 2 more than the new limit of 1.');
  expect(said).toContain(
    'All of them keep working. No new one can be activated before 3 of them are deactivated.',
  );
  const sure = fieldsOf(asked.result.text);
  expect((await browser.post(pageOf(id, '/edit'), { ...sure, maxActivations: '1' })).status).toBe(303);
  const machine = { licenseKey: key, machineId: 'machine-three' };
  const validated = await app.post('/api/v1/license/validate', machine, secret);
  expect(validated.body).toMatchObject({ valid: true });
  // Nothing is asked about a limit that holds them, about what is in use already, or of another field.
  for (const change of [{ maxActivations: '4' }, { maxActivations: '3' }, { notes: 'as it is' }]) {
    const now = fieldsOf((await browser.open(pageOf(id, '/edit'))).text);
    expect((await browser.post(pageOf(id, '/edit'), { ...now, ...change })).status).toBe(303);
  }
});
