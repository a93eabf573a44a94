// POST /api/v1/license/offline-token: fields, claims, caps and refusals (licensing 6.2, 2.12), verified as a client
// would; tokens that staff issue.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { createOnline } from '#licensing/catalog/keys/index.ts';
import type { Policy } from '#licensing/catalog/policies/index.ts';
import type { Product } from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as offlineTokens from '#licensing/licenses/offline-tokens/index.ts';
import { type MadeLicense, startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { type Claims, claimsIn, verifyOfflineToken } from '../support/offline-token.ts';
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

const nowSeconds = () => Math.floor(app.clock.epochMs() / 1000);
const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const inDays = (days: number) => at(nowSeconds() + days * DAY);
const post = (body: object) => app.post(path, { machineId, ...body }, key);

/** A license of the product that the machine holds. */
async function held(extra: Parameters<TestApp['license']>[0] = {}): Promise<MadeLicense> {
  const license = await app.license({ productId: product.id, ...extra });
  const { status } = await app.post(
    '/api/v1/license/activate',
    { licenseKey: license.key, machineId, machineName: 'Desk' },
    key,
  );
  expect(status).toBe(200);
  return license;
}

/** Asks for a token that must be given, and gives it with its claims. */
async function token(body: object) {
  const reply = await post(body);
  expect([reply.status, reply.body.error]).toEqual([200, undefined]);
  const text = String(reply.body.token);
  const { result: verdict, claims } = verify(text);
  expect(reply.body.expiresAt).toBe(at((claims as Claims).exp));
  return { text, verdict, claims: claims as Claims, body: reply.body };
}

const verify = (text: string, change: { now?: number; machineId?: string; product?: string } = {}) =>
  verifyOfflineToken(text, {
    rootKeys: [signer.root.publicKey],
    product: product.slug,
    machineId,
    now: nowSeconds(),
    ...change,
  });

describe('success', () => {
  it('answers the token, its end, license and activation, and records it without an event', async () => {
    const policy = await app.policy({ entitlements: { sso: false, seats: 5 }, maxVersion: '3' });
    const { id, key: licenseKey } = await held({
      policyId: policy.id,
      features: { sso: true },
      tier: 'BUSINESS',
      validUntil: inDays(365),
      gracePeriodSeconds: 7 * DAY,
    });
    const asked = { licenseKey, nonce: 'abcdefghijklmnop' };
    const { result, changes } = await app.changesBy(() => token(asked));
    expect(changes).toEqual({ events: [], rows: { license_offline_tokens: '+1' } });
    const { body, claims, verdict, text } = result;
    expect(verdict).toBe('VALID');
    expect(body).toEqual({
      success: true,
      message: 'Offline token issued',
      token: text,
      expiresAt: inDays(30),
      license: {
        key: licenseKey,
        product: product.name,
        tier: 'BUSINESS',
        type: 'PERPETUAL',
        validUntil: inDays(365),
        activationsUsed: 1,
        maxActivations: 1,
        features: { sso: true, seats: 5 },
      },
      activation: { machineId, machineName: 'Desk', activatedAt: app.ctx.now() },
      nonce: 'abcdefghijklmnop',
    });
    expect(claims).toEqual({
      v: 1,
      kid: signer.keyId,
      jti: expect.stringMatching(/^tok_[0-9A-Z]{26}$/),
      lid: id,
      prd: product.slug,
      keyPrefix: licenseKey.slice(0, 8),
      st: 'ACTIVE',
      typ: 'PERPETUAL',
      tier: 'BUSINESS',
      mode: 'STANDARD',
      mid: createHash('sha256').update(machineId).digest('base64url'),
      feat: { sso: true, seats: 5 },
      mxv: '3',
      vu: nowSeconds() + 365 * DAY,
      graceUntil: nowSeconds() + 372 * DAY,
      iat: nowSeconds(),
      nbf: nowSeconds() - 300,
      exp: nowSeconds() + 30 * DAY,
    });
    expect(text).not.toContain(licenseKey);
    const row = await app.instance.database.db
      .knex('license_offline_tokens')
      .where({ id: claims.jti })
      .first();
    expect(row).toMatchObject({
      license_id: id,
      machine_digest: claims.mid,
      issued_at: app.ctx.now(),
      expires_at: inDays(30),
      issued_by: expect.stringMatching(/^api_key:key_/),
    });
    expect(JSON.stringify(row)).not.toContain(machineId);
  });

  it('of a perpetual license without features, version or grace says null', async () => {
    const { key: licenseKey } = await held();
    const { claims } = await token({ licenseKey });
    expect(claims).toMatchObject({ feat: null, mxv: null, vu: null, graceUntil: null });
  });

  it('leaves the version to the client: an appVersion above maxVersion is no refusal', async () => {
    const { key: licenseKey } = await held({ maxVersion: '2' });
    const { claims } = await token({ licenseKey, appVersion: '9.0' });
    expect(claims.mxv).toBe('2');
  });

  it('is a typical token that a QR code holds', async () => {
    const { key: licenseKey } = await held({ features: { sso: true, seats: 5, region: 'eu' } });
    expect((await token({ licenseKey })).text.length).toBeLessThan(1200);
  });
});

describe('what a client refuses', () => {
  it('another machine, another product, a changed claim, a foreign root key, a clock set back', async () => {
    const { key: licenseKey } = await held();
    // Later than the delegation, or a clock before the token's time would be before the delegation's, too.
    app.clock.advance(600);
    const { text, claims } = await token({ licenseKey, ttlSeconds: 3600 });
    expect(verify(text, { machineId: 'machine-0002' }).result).toBe('WRONG_MACHINE');
    expect(verify(text, { product: 'another' }).result).toBe('DELEGATION_INVALID');
    expect(verify(text, { now: claims.exp }).result).toBe('TOKEN_EXPIRED');
    expect(verify(text, { now: claims.exp - 1 }).result).toBe('VALID');
    expect(verify(text, { now: claims.nbf }).result).toBe('VALID');
    expect(verify(text, { now: claims.nbf - 1 }).result).toBe('CLOCK_ROLLED_BACK');
    const [payload = '', ...rest] = text.slice('license/'.length).split('.');
    const other = Buffer.from(JSON.stringify({ ...claims, tier: 'ENTERPRISE' })).toString('base64url');
    expect(payload).not.toBe(other);
    expect(verify(`license/${[other, ...rest].join('.')}`).result).toBe('SIGNATURE_INVALID');
    const stranger = await delegatedProduct(app.ctx, await app.product());
    const foreign = {
      rootKeys: [stranger.root.publicKey],
      product: product.slug,
      machineId,
      now: nowSeconds(),
    };
    expect(verifyOfflineToken(text, foreign).result).toBe('DELEGATION_INVALID');
  });
});

describe('ttlSeconds', () => {
  /** Of the delegation that was signed when the file began. */
  const delegationEnd = Date.parse('2027-04-05T11:55:00.000Z') / 1000;

  it.each([3600, 3601, 34_559_999, 34_560_000])('%i is taken', async (ttlSeconds) => {
    const { key: licenseKey } = await held();
    const { claims } = await token({ licenseKey, ttlSeconds });
    expect(claims.exp).toBe(Math.min(nowSeconds() + ttlSeconds, delegationEnd));
  });

  it.each([3599, 0, -1, 34_560_001, 3600.5, '3600', true, [3600], Number.MAX_SAFE_INTEGER + 1])(
    '%j is 400 VALIDATION_ERROR',
    async (ttlSeconds) => {
      const { key: licenseKey } = await held();
      const error = await refused({ licenseKey, ttlSeconds }, 'VALIDATION_ERROR');
      expect(error?.details?.issues?.[0]?.path).toBe('ttlSeconds');
    },
  );

  it('null and no ttlSeconds are 2,592,000', async () => {
    const { key: licenseKey } = await held();
    expect((await token({ licenseKey, ttlSeconds: null })).body.expiresAt).toBe(inDays(30));
  });

  it('is capped by the policy, whose cap may be below an hour', async () => {
    const licenseOf = async (policy: Policy) => (await held({ policyId: policy.id })).key;
    const hour = await licenseOf(await app.policy({ offlineMaxTtlSeconds: 3600 }));
    expect((await token({ licenseKey: hour })).claims.exp).toBe(nowSeconds() + 3600);
    expect((await token({ licenseKey: hour, ttlSeconds: 3600 })).claims.exp).toBe(nowSeconds() + 3600);
    const minute = await licenseOf(await app.policy({ offlineMaxTtlSeconds: 60 }));
    expect((await token({ licenseKey: minute })).claims.exp).toBe(nowSeconds() + 60);
    const year = await licenseOf(await app.policy({ offlineMaxTtlSeconds: 31_536_000 }));
    expect((await token({ licenseKey: year })).body.expiresAt).toBe(inDays(30));
  });
});

describe('the end of a token', () => {
  it('is never after the license', async () => {
    const { key: licenseKey } = await held({ validUntil: inDays(2) });
    const { claims } = await token({ licenseKey });
    expect(claims.exp).toBe(nowSeconds() + 2 * DAY);
  });

  it('is the end of grace where there is one, and a token in grace says EXPIRED', async () => {
    const { key: licenseKey } = await held({ validUntil: inDays(1), gracePeriodSeconds: 3 * DAY });
    const end = nowSeconds() + 4 * DAY;
    const before = await token({ licenseKey });
    expect([before.claims.exp, before.claims.graceUntil, before.claims.st]).toEqual([end, end, 'ACTIVE']);
    app.clock.advance(DAY);
    const { claims, verdict } = await token({ licenseKey });
    expect([claims.exp, claims.st, verdict]).toEqual([end, 'EXPIRED', 'GRACE']);
    expect(verify(before.text).result).toBe('GRACE');
    app.clock.advance(3 * DAY - 1);
    expect((await token({ licenseKey })).claims.exp).toBe(end);
    app.clock.advance(1);
    await refused({ licenseKey }, 'LICENSE_EXPIRED');
    expect(verify(before.text).result).toBe('TOKEN_EXPIRED');
  });

  it('is never after the lease of a floating seat', async () => {
    const { key: licenseKey } = await held({ type: 'FLOATING' });
    const { claims, body } = await token({ licenseKey });
    expect(claims.exp).toBe(nowSeconds() + 3600);
    expect(body.activation?.leaseExpiresAt).toBe(at(claims.exp));
    app.clock.advance(3600);
    await refused({ licenseKey }, 'NOT_ACTIVATED');
  });

  it('is never after the delegation', async () => {
    const short = await app.product();
    await delegatedProduct(app.ctx, short, { days: 1 });
    const { key: licenseKey } = await held({ productId: short.id });
    expect((await post({ licenseKey })).body.expiresAt).toBe(at(nowSeconds() - 300 + DAY));
  });
});

const watched = (body: object, secret = key) =>
  app.changesBy(() => app.post(path, { machineId, ...body }, secret));

async function refused(body: object, code: string, status = 400, secret = key) {
  const { result, changes } = await watched(body, secret);
  expect([result.status, result.body.error?.code]).toEqual([status, code]);
  expect(changes).toEqual(nothing);
  return result.body.error;
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
    expect((await watched({ licenseKey })).result.status).toBe(200);
    app.clock.advance(DAY - 300);
    await refused({ licenseKey }, 'NOT_FOUND', 404);
  });

  it('NOT_FOUND once the root key is retired', async () => {
    const mine = await app.product();
    const { root } = await delegatedProduct(app.ctx, mine);
    const { key: licenseKey } = await held({ productId: mine.id });
    expect((await watched({ licenseKey })).result.status).toBe(200);
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
    expect(result.details.hint).toBe(`appctl keys online create --product ${bare.slug}`);
    expect(changes).toEqual(nothing);
    const made = await createOnline(app.ctx, bare.slug);
    const waiting = await refusalOf(issue(id, { activate: true }));
    expect(waiting.details.hint).toContain(
      `--pub ${made.publicKey}, then appctl keys online delegate ${made.keyId}`,
    );
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
