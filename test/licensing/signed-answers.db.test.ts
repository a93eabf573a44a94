// Signed API responses: headers over the exact bytes, bound to the nonce (licensing 6.13).
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product } from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as settings from '#platform/settings/index.ts';
import { surfacesOf } from '../../src/app/serve.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { HttpReply } from '../support/http-client.ts';
import { delegatedKey, signedBy } from '../support/offline-token.ts';
import { type DelegatedProduct, delegatedProduct } from '../support/online-key.ts';

const machineId = 'machine-0001';
const nonce = 'abcdefghijklmnop';
const validate = '/api/v1/license/validate';

let app: TestApp;
let key: string;
let product: Product;
let signer: DelegatedProduct;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('FULL_ADMIN')).secret;
  product = await app.product();
  signer = await delegatedProduct(app.ctx, product);
});
afterAll(() => app.close());

const signature = /^v1;kid=([0-9a-f]{16});sig=([A-Za-z0-9_-]{86})$/;
const isSigned = ({ headers }: HttpReply) =>
  ['x-response-date', 'x-response-signature', 'x-response-delegation'].map(
    (name) => headers[name] !== undefined,
  );
const unsigned = [false, false, false];

/** Verifies as a client that knows the root key, the nonce and what it received. */
function verify(
  reply: HttpReply,
  asked: { nonce: string; by?: DelegatedProduct; product?: Product },
): boolean {
  const { nonce: sent, by = signer, product: of = product } = asked;
  const { headers, status, text } = reply;
  const date = String(headers['x-response-date']);
  const [, kid, sig = ''] = signature.exec(String(headers['x-response-signature'])) ?? [];
  const client = { rootKeys: [by.root.publicKey], product: of.slug, now: Date.parse(date) / 1000 };
  const publicKey = delegatedKey(String(headers['x-response-delegation']), 'response', client);
  if (publicKey === null || kid !== by.keyId) return false;
  const hash = createHash('sha256').update(text, 'utf8').digest('hex');
  const signed = `response/v1\n${status}\n${date}\n${sent}\n${hash}`;
  return signedBy(publicKey, signed, Buffer.from(sig, 'base64url'));
}

const license = (extra: Parameters<TestApp['license']>[0] = {}) =>
  app.license({ productId: product.id, ...extra });

describe('a request with a nonce', () => {
  it('gets its answer signed: status, date, nonce and the bytes of the body, accents included', async () => {
    const { key: licenseKey } = await license({ features: { name: 'Zoë 🦊' } });
    const reply = await app.post(validate, { licenseKey, machineId, nonce }, key);
    expect(reply.status).toBe(200);
    expect(reply.body.nonce).toBe(nonce);
    expect(reply.headers['x-response-date']).toBe(app.ctx.now());
    expect(verify(reply, { nonce })).toBe(true);
    expect(verify(reply, { nonce: 'another-nonce-00' })).toBe(false);
    expect(verify({ ...reply, status: 400 }, { nonce })).toBe(false);
    expect(verify({ ...reply, text: `${reply.text} ` }, { nonce })).toBe(false);
    const later = { ...reply.headers, 'x-response-date': '2026-03-01T12:00:00.001Z' };
    expect(verify({ ...reply, headers: later }, { nonce })).toBe(false);
  });

  it('gets a refusal signed, whatever its status, by the key of the license', async () => {
    const { id, key: licenseKey } = await license();
    await licenses.revoke(app.ctx, { licenseId: id }, 'x');
    for (const path of ['activate', 'offline-token']) {
      const reply = await app.post(`/api/v1/license/${path}`, { licenseKey, machineId, nonce }, key);
      expect([path, reply.status, verify(reply, { nonce })]).toEqual([path, 400, true]);
    }
    const forbidden = await license({ policyId: (await app.policy({ offlineMaxTtlSeconds: 0 })).id });
    const reply = await app.post(
      '/api/v1/license/offline-token',
      { licenseKey: forbidden.key, machineId, nonce },
      key,
    );
    expect([reply.status, verify(reply, { nonce })]).toEqual([404, true]);
  });

  it('gets the repeat of a metered call signed as well, by the key of the license (D81)', async () => {
    const { key: licenseKey } = await license();
    const record = () =>
      app.post('/api/v1/license/record-usage', { licenseKey, feature: 'export', nonce }, key, {
        'X-Idempotency-Key': 'once',
      });
    for (const idempotent of [undefined, true]) {
      const reply = await record();
      expect([reply.body.idempotent, verify(reply, { nonce })]).toEqual([idempotent, true]);
    }
  });

  it('carries it in the query of a GET', async () => {
    const { key: licenseKey } = await license();
    const reply = await app.get(`/api/v1/license/check/${licenseKey}?nonce=${nonce}`, key);
    expect([reply.status, reply.body.nonce, verify(reply, { nonce })]).toEqual([200, nonce, true]);
    const twice = await app.get(`/api/v1/license/check/${licenseKey}?nonce=${nonce}&nonce=${nonce}`, key);
    expect([twice.status, isSigned(twice)]).toEqual([400, unsigned]);
  });

  it.each([
    ['16 characters', 'a'.repeat(16)],
    ['64 characters', 'a'.repeat(64)],
    ['every kind of character', 'azAZ09_-azAZ09_-'],
  ])('may have %s', async (_name, given) => {
    const { key: licenseKey } = await license();
    const reply = await app.post(validate, { licenseKey, machineId, nonce: given }, key);
    expect([reply.status, verify(reply, { nonce: given })]).toEqual([200, true]);
  });

  it.each([
    ['15 characters', 'a'.repeat(15)],
    ['65 characters', 'a'.repeat(65)],
    ['a dot', `${'a'.repeat(15)}.`],
    ['a line feed', `${'a'.repeat(16)}\n`],
    ['an accent', 'ä'.repeat(16)],
    ['no text', 1_234_567_890_123_456],
    ['an empty text', ''],
    ['a list', [nonce]],
  ])('is refused with %s, unsigned', async (_name, given) => {
    const { key: licenseKey } = await license();
    const reply = await app.post(validate, { licenseKey, machineId, nonce: given }, key);
    expect([reply.status, reply.body.error?.code, isSigned(reply)]).toEqual([
      400,
      'VALIDATION_ERROR',
      unsigned,
    ]);
    if (typeof given !== 'string') return;
    const got = await app.get(`/api/v1/license/check/${licenseKey}?nonce=${encodeURIComponent(given)}`, key);
    expect([got.status, isSigned(got)]).toEqual([400, unsigned]);
  });

  it('without one, or with null, is answered as before', async () => {
    const { key: licenseKey } = await license();
    for (const body of [{}, { nonce: null }]) {
      const reply = await app.post(validate, { licenseKey, machineId, ...body }, key);
      expect([reply.status, reply.body.nonce, isSigned(reply)]).toEqual([200, undefined, unsigned]);
    }
  });

  it('at an endpoint that knows no nonce is not signed', async () => {
    const { key: licenseKey } = await license();
    const reply = await app.post('/api/v1/license/deactivate', { licenseKey, machineId, nonce }, key);
    expect([reply.status, isSigned(reply)]).toEqual([400, unsigned]);
  });
});

describe('an unknown key', () => {
  const unknown = { licenseKey: 'APP-0000-0000-0000-0000', machineId, nonce };

  it('is answered by the only product that the API key is bound to', async () => {
    const { secret } = await app.apiKey('FULL_ADMIN', { productIds: [product.id] });
    const answered = await app.post(validate, unknown, secret);
    expect([answered.body.code, verify(answered, { nonce })]).toEqual(['NOT_FOUND', true]);
    const refused = await app.post('/api/v1/license/activate', unknown, secret);
    expect([refused.status, verify(refused, { nonce })]).toEqual([404, true]);
    const invalid = await app.post(validate, { ...unknown, machineId: 'short' }, secret);
    expect([invalid.status, verify(invalid, { nonce })]).toEqual([400, true]);
    const checked = await app.get(`/api/v1/license/check/no-key?nonce=${nonce}`, secret);
    expect([checked.status, verify(checked, { nonce })]).toEqual([404, true]);
  });

  it('is unsigned for an API key of all products, and for one of two', async () => {
    const two = { productIds: [product.id, (await app.product()).id] };
    for (const secret of [key, (await app.apiKey('FULL_ADMIN', two)).secret]) {
      const reply = await app.post(validate, unknown, secret);
      expect([reply.body.code, isSigned(reply)]).toEqual(['NOT_FOUND', unsigned]);
    }
  });

  it('outside of the API key tells nothing of its own product', async () => {
    const other = await app.product();
    const others = await delegatedProduct(app.ctx, other);
    const { key: licenseKey } = await license();
    const { secret } = await app.apiKey('FULL_ADMIN', { productIds: [other.id] });
    const reply = await app.post(validate, { licenseKey, machineId, nonce }, secret);
    expect(reply.body.code).toBe('NOT_FOUND');
    expect(verify(reply, { nonce, by: others, product: other })).toBe(true);
  });
});

describe('nothing is signed', () => {
  const validated = async (productId: string) => {
    const { key: licenseKey } = await app.license({ productId });
    const reply = await app.post(validate, { licenseKey, machineId, nonce }, key);
    expect([reply.status, reply.body.nonce]).toEqual([200, nonce]);
    return isSigned(reply);
  };

  it('without an online key, a delegation, or the use `response`', async () => {
    expect(await validated((await app.product()).id)).toEqual(unsigned);
    const undelegated = await app.product();
    await delegatedProduct(app.ctx, undelegated, null);
    expect(await validated(undelegated.id)).toEqual(unsigned);
    const other = await app.product();
    await delegatedProduct(app.ctx, other, { uses: ['license', 'timestamp'] });
    expect(await validated(other.id)).toEqual(unsigned);
  });

  it('before the input is read: 401, 403 and a body that is no JSON', async () => {
    const { secret } = await app.apiKey('READ_ONLY', { productIds: [product.id] });
    for (const reply of [
      await app.post(validate, { nonce }),
      await app.post(validate, { nonce }, secret),
      await app.post(validate, `{"nonce":"${nonce}"`, secret, { 'Content-Type': 'application/json' }),
    ]) {
      expect([reply.status >= 400, isSigned(reply)]).toEqual([true, unsigned]);
    }
  });

  it('while licensing.sign_responses is off', async () => {
    await settings.set(app.ctx, { key: 'licensing.sign_responses', value: false });
    expect(await validated(product.id)).toEqual(unsigned);
    await settings.unset(app.ctx, 'licensing.sign_responses');
    expect(await validated(product.id)).toEqual([true, true, true]);
  });

  it('when the key cannot be opened: the answer goes out all the same', async () => {
    const broken = await app.product();
    const { keyId } = await delegatedProduct(app.ctx, broken);
    await app.instance.database.transaction(async ({ knex }) => {
      await knex('license_signing_keys')
        .where({ key_id: keyId })
        .update({ private_key: 'v1.00000000.a.b.c' });
    });
    expect(await validated(broken.id)).toEqual(unsigned);
  });
});

it('a page of a listed origin may read the headers', async () => {
  const origin = 'https://app.example.com';
  const { secret } = await app.apiKey('FULL_ADMIN', { allowedOrigins: [origin] });
  const { key: licenseKey } = await license();
  const reply = await app.post(validate, { licenseKey, machineId, nonce }, secret, { Origin: origin });
  expect(reply.headers['access-control-expose-headers']).toContain('X-Response-Signature');
});

it('every endpoint of the list that exists knows the nonce (6.13)', () => {
  const knows = surfacesOf(app.instance.config)
    .flatMap(({ endpoints }) => endpoints)
    .filter(({ body, query }) => {
      const shapes = [body, query].map((schema) => (schema as { shape?: object } | undefined)?.shape ?? {});
      return shapes.some((shape) => Object.hasOwn(shape, 'nonce'));
    })
    .map(({ path }) => path.replace('/api/v1/', ''));
  const listed = [
    'license/validate',
    'license/activate',
    'license/checkout',
    'license/checkin',
    'license/heartbeat',
    'license/record-usage',
    'license/validate-entitlement',
    'license/offline-token',
    'license/check/{key}',
    'updates/check',
    'updates/manifest',
  ];
  const declared = surfacesOf(app.instance.config)
    .flatMap(({ endpoints }) => endpoints)
    .map(({ path }) => path.replace('/api/v1/', ''));
  expect(knows.sort()).toEqual(listed.filter((path) => declared.includes(path)).sort());
});
