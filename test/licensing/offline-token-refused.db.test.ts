// Who gets no offline token, in the order of the decision; and tokens that staff issue (licensing 6.2, 2.12).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import type { Product } from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as offlineTokens from '#licensing/licenses/offline-tokens/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { claimsIn } from '../support/offline-token.ts';
import { type DelegatedProduct, delegatedProduct } from '../support/online-key.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';

const path = '/api/v1/license/offline-token';
const machineId = 'machine-0001';
const DAY = 86_400;

let app: TestApp;
let key: string;
let product: Product;
let signer: DelegatedProduct;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('VALIDATE_ONLY')).secret;
  product = await app.product();
  signer = await delegatedProduct(app.ctx, product);
});
afterAll(() => app.close());

const post = (body: object, secret = key) =>
  app.changesBy(() => app.post(path, { machineId, ...body }, secret));
const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();

async function refused(body: object, code: string, status = 400, secret = key) {
  const { result, changes } = await post(body, secret);
  expect([result.status, result.body.error?.code]).toEqual([status, code]);
  expect(changes).toEqual(nothing);
  return result.body.error;
}

async function held(extra: Parameters<TestApp['license']>[0] = {}) {
  const license = await app.license({ productId: product.id, ...extra });
  await app.post('/api/v1/license/activate', { licenseKey: license.key, machineId }, key);
  return license;
}

describe('a client is refused', () => {
  it('NOT_FOUND for an unknown key, INVALID_KEY for one with a character that no key has', async () => {
    await refused({ licenseKey: 'APP-0000-0000-0000-0000' }, 'NOT_FOUND', 404);
    await refused({ licenseKey: 'APP_0000_0000_0000' }, 'INVALID_KEY');
  });

  it('NOT_FOUND by a policy that forbids tokens, before the state of the license is told', async () => {
    const policy = await app.policy({ offlineMaxTtlSeconds: 0 });
    const { id, key: licenseKey } = await held({ policyId: policy.id });
    await licenses.revoke(app.ctx, { licenseId: id }, 'x');
    const error = await refused({ licenseKey }, 'NOT_FOUND', 404);
    expect(error?.message).toBe('Offline tokens are not offered');
  });

  it('LICENSE_REVOKED, LICENSE_SUSPENDED and LICENSE_EXPIRED with their details', async () => {
    const revoked = await held();
    await licenses.revoke(app.ctx, { licenseId: revoked.id }, 'x');
    const error = await refused({ licenseKey: revoked.key }, 'LICENSE_REVOKED');
    expect(error?.details).toEqual({
      status: 'REVOKED',
      since: app.ctx.now(),
      expiredAt: null,
      grace: false,
    });
    const suspended = await held();
    await licenses.suspend(app.ctx, suspended.id, { reason: 'ADMIN', note: null });
    await refused({ licenseKey: suspended.key }, 'LICENSE_SUSPENDED');
    const validUntil = inDays(1);
    const expired = await held({ validUntil });
    app.clock.advance(DAY);
    const late = await refused({ licenseKey: expired.key }, 'LICENSE_EXPIRED');
    expect(late?.details).toEqual({ expiredAt: validUntil, graceExpiresAt: null });
  });

  it('NOT_ACTIVATED when the machine holds no activation', async () => {
    const { key: licenseKey } = await held();
    const error = await refused({ licenseKey, machineId: 'machine-0002' }, 'NOT_ACTIVATED');
    expect(error?.details).toEqual({ status: 'ACTIVE', activationsUsed: 1, maxActivations: 1 });
  });

  it.each([
    ['no machine', { machineId: undefined }],
    ['a short machine', { machineId: '1234567' }],
    ['a long machine', { machineId: 'x'.repeat(256) }],
    ['a long version', { appVersion: 'x'.repeat(51) }],
    ['a number as machine', { machineId: 12_345_678 }],
    ['a lone surrogate', { machineId: 'machine-\ud800' }],
    ['U+0000', { machineId: 'machine-\u0000' }],
  ])('VALIDATION_ERROR for %s', async (_name, change) => {
    await refused({ licenseKey: 'APP-0000-0000-0000-0000', ...change }, 'VALIDATION_ERROR');
  });

  it('NOT_FOUND without an online key, without a delegation, with one for other uses, and after its end', async () => {
    const bare = await app.product();
    const undelegated = await app.product();
    await delegatedProduct(app.ctx, undelegated, null);
    const other = await app.product();
    await delegatedProduct(app.ctx, other, { uses: ['timestamp', 'response'] });
    const ending = await app.product();
    await delegatedProduct(app.ctx, ending, { days: 1 });
    for (const { id } of [bare, undelegated, other]) {
      const { key: licenseKey } = await held({ productId: id });
      const error = await refused({ licenseKey }, 'NOT_FOUND', 404);
      expect(error?.message).toBe('Offline tokens are not offered');
    }
    const { key: licenseKey } = await held({ productId: ending.id });
    expect((await post({ licenseKey })).result.status).toBe(200);
    app.clock.advance(DAY - 300);
    await refused({ licenseKey }, 'NOT_FOUND', 404);
  });

  it('NOT_FOUND once the root key is retired', async () => {
    const mine = await app.product();
    const { root } = await delegatedProduct(app.ctx, mine);
    const { key: licenseKey } = await held({ productId: mine.id });
    expect((await post({ licenseKey })).result.status).toBe(200);
    await app.instance.database.transaction(async ({ knex }) => {
      await knex('license_signing_keys').where({ key_id: root.keyId }).update({ status: 'RETIRED' });
    });
    await refused({ licenseKey }, 'NOT_FOUND', 404);
  });

  it('NOT_FOUND across tenants and products', async () => {
    const { key: licenseKey } = await held();
    const other = await app.otherTenant();
    const foreign = (await app.apiKey('FULL_ADMIN', {}, other)).secret;
    await refused({ licenseKey }, 'NOT_FOUND', 404, foreign);
    const elsewhere = await app.apiKey('VALIDATE_ONLY', { productIds: [(await app.product()).id] });
    await refused({ licenseKey }, 'NOT_FOUND', 404, elsewhere.secret);
  });
});

describe('staff', () => {
  const issue = (
    id: string,
    change: { machineId?: string; seconds?: number; activate?: boolean; ctx?: Ctx } = {},
  ) =>
    app.changesBy(() =>
      offlineTokens.issue(
        change.ctx ?? app.ctx,
        id,
        change.machineId ?? machineId,
        change.seconds ?? 90 * DAY,
        {
          activate: change.activate ?? false,
        },
      ),
    );

  it('issue by the id of the license, with a life of their own', async () => {
    const { id } = await held();
    const { result, changes } = await issue(id);
    expect(changes).toEqual({ events: [], rows: { license_offline_tokens: '+1' } });
    expect(result.expiresAt).toBe(inDays(90));
    const claims = claimsIn(result.token.slice('license/'.length).split('.')[0] as string);
    expect(claims).toMatchObject({ lid: id, kid: signer.keyId });
    const page = await offlineTokens.list(app.ctx, id, { page: 1, limit: 50 });
    expect(page.items).toEqual([
      {
        id: claims.jti,
        licenseId: id,
        activationId: expect.stringMatching(/^act_/),
        machineDigest: claims.mid,
        issuedAt: app.ctx.now(),
        expiresAt: inDays(90),
        issuedBy: 'system:',
      },
    ]);
  });

  it('activate binds the machine first; without it the token is refused', async () => {
    const { id } = await app.license({ productId: product.id });
    expect(await codeOf(issue(id))).toBe('NOT_ACTIVATED');
    const { changes } = await issue(id, { activate: true });
    expect(changes).toEqual({
      events: ['LICENSE_ACTIVATED'],
      rows: { license_activations: '+1', license_offline_tokens: '+1' },
    });
    expect((await issue(id, { activate: true })).changes.events).toEqual([]);
    const full = await refusalOf(issue(id, { activate: true, machineId: 'machine-0002' }));
    expect([full.code, full.details.reason]).toEqual(['ACTIVATION_FAILED', 'SEATS_EXHAUSTED']);
  });

  it('activate in grace serves a machine that is bound already', async () => {
    const { id } = await held({ validUntil: inDays(1), gracePeriodSeconds: 2 * DAY });
    app.clock.advance(DAY);
    const { result } = await issue(id, { activate: true });
    expect(result.expiresAt).toBe(inDays(2));
  });

  it('a machine is not bound for a token that cannot be had', async () => {
    const bare = await app.product();
    const { id } = await app.license({ productId: bare.id });
    const { result, changes } = await app.changesBy(() => refusalOf(issue(id, { activate: true })));
    expect([result.code, result.details.reason]).toEqual(['CONFLICT', 'NO_ONLINE_KEY']);
    expect(changes).toEqual(nothing);
    const policy = await app.policy({ offlineMaxTtlSeconds: 0 });
    const forbidden = await app.license({ productId: product.id, policyId: policy.id });
    const { code, details } = await refusalOf(issue(forbidden.id, { activate: true }));
    expect([code, details.reason]).toEqual(['CONFLICT', 'TOKENS_FORBIDDEN']);
  });

  it('the cap of the policy holds for staff, too', async () => {
    const policy = await app.policy({ offlineMaxTtlSeconds: 7200 });
    const { id } = await held({ policyId: policy.id });
    const { result } = await issue(id);
    expect(Date.parse(result.expiresAt)).toBe(app.clock.epochMs() + 7200 * 1000);
  });

  it('bounds, unknown licenses and other tenants', async () => {
    const { id } = await held();
    expect(await faultsOf(issue(id, { seconds: 3599 }))).toEqual(['ttlSeconds']);
    expect(await faultsOf(issue(id, { seconds: 34_560_001 }))).toEqual(['ttlSeconds']);
    expect(await faultsOf(issue(id, { machineId: 'short' }))).toEqual(['machineId']);
    expect(await codeOf(issue('lic_nothing'))).toBe('NOT_FOUND');
    const ctx = await app.otherTenant();
    expect(await codeOf(issue(id, { ctx }))).toBe('NOT_FOUND');
    expect(await codeOf(offlineTokens.list(ctx, id, { page: 1, limit: 50 }))).toBe('NOT_FOUND');
  });

  it('a plan tells the end and writes nothing', async () => {
    const { id } = await held();
    const { result, changes } = await app.changesBy(() =>
      offlineTokens.plan(app.ctx, id, machineId, 7 * DAY),
    );
    expect(result).toEqual({ expiresAt: inDays(7) });
    expect(changes).toEqual(nothing);
  });
});
