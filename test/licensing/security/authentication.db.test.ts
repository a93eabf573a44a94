// API keys: how they are presented, what each may do, and how they end (D18, D19, D19a to D19c; A035 to A041).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as apiKeys from '#platform/api-keys/index.ts';
import * as settings from '#platform/settings/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { nothing } from '../../support/database-changes.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ proxyTrust: '127.0.0.0/8' });
});
afterAll(() => app.close());

const products = '/api/v1/products';
const answer = async (key: string | undefined, headers: Record<string, string> = {}, path = products) => {
  const { result, changes } = await app.changesBy(() => app.get(path, key, headers));
  expect(changes).toEqual(nothing);
  return [result.status, result.body.error?.code];
};
const from = (address: string) => ({ 'X-Forwarded-For': address });
const REFUSED = [403, 'IP_NOT_ALLOWED'];
const ADMITTED = [200, undefined];

describe('how a key is presented', () => {
  it('without a header or with an empty one: API_KEY_REQUIRED', async () => {
    expect(await answer(undefined)).toEqual([401, 'API_KEY_REQUIRED']);
    expect(await answer('')).toEqual([401, 'API_KEY_REQUIRED']);
  });

  it('twice, 10 kB long, cut, with a space inside, in another case: INVALID_API_KEY', async () => {
    const { secret } = await app.apiKey('FULL_ADMIN');
    const wrong = [
      `${secret}, ${secret}`,
      'a'.repeat(10_000),
      secret.slice(0, -1),
      `${secret.slice(0, 9)} ${secret.slice(9)}`,
      secret.toUpperCase(),
      `${secret}x`,
      'alk_',
      "' OR 1=1 --",
      '%00',
    ];
    for (const key of wrong) expect(await answer(key)).toEqual([401, 'INVALID_API_KEY']);
    const head = `GET ${products} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\nX-API-Key: ${secret}\r\n\r\n`;
    expect((await app.raw(head)).text).toContain('INVALID_API_KEY');
  });

  it('as a parameter, a bearer or a cookie it is not seen (A037)', async () => {
    const { secret } = await app.apiKey('FULL_ADMIN');
    expect(await answer(undefined, {}, `${products}?api_key=${secret}`)).toEqual([401, 'API_KEY_REQUIRED']);
    expect(await answer(undefined, { Authorization: `Bearer ${secret}` })).toEqual([401, 'API_KEY_REQUIRED']);
    expect(await answer(undefined, { Cookie: `X-API-Key=${secret}` })).toEqual([401, 'API_KEY_REQUIRED']);
  });

  it('no refusal repeats what was sent', async () => {
    const reply = await app.get(products, 'alk_not-a-key-of-anybody');
    expect(reply.text).not.toContain('not-a-key');
  });

  it('a key of the store opens nothing here', async () => {
    const { secret } = await app.apiKey('FULL_ADMIN', { service: 'store' });
    expect(await answer(secret)).toEqual([401, 'INVALID_API_KEY']);
  });
});

describe('READ_ONLY (D18, A039)', () => {
  const body = { licenseKey: 'APP-0000-0000-0000-0000', machineId: 'machine-0001' };
  const posts = ['activate', 'validate', 'deactivate', 'create', 'create-bulk'];

  it.each(posts)('may not %s, with a good body or a broken one', async (name) => {
    const { secret } = await app.apiKey('READ_ONLY');
    for (const sent of [body, '{"broken":']) {
      const { result, changes } = await app.changesBy(() =>
        app.post(`/api/v1/license/${name}`, sent, secret),
      );
      expect([result.status, result.body.error?.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
      expect(changes).toEqual(nothing);
    }
  });

  it('may look at products and check a key', async () => {
    const { secret } = await app.apiKey('READ_ONLY');
    const { key } = await app.license();
    expect(await answer(secret)).toEqual(ADMITTED);
    expect(await answer(secret, {}, `/api/v1/license/check/${key}`)).toEqual(ADMITTED);
  });

  it('may validate, and nothing more, while the setting says so', async () => {
    const { secret } = await app.apiKey('READ_ONLY');
    const post = async (name: string) => (await app.post(`/api/v1/license/${name}`, body, secret)).status;
    await settings.set(app.ctx, { key: 'licensing.read_only_may_validate', value: true });
    expect(await post('validate')).toBe(200);
    expect(await post('activate')).toBe(403);
    expect(await post('deactivate')).toBe(403);
    await settings.unset(app.ctx, 'licensing.read_only_may_validate');
    expect(await post('validate')).toBe(403);
  });
});

it('INSUFFICIENT_SCOPE tells what is required and what the key has (6.6)', async () => {
  const { secret } = await app.apiKey('VALIDATE_ONLY');
  const reply = await app.post('/api/v1/license/create', {}, secret);
  expect(reply.body.error?.details).toEqual({ required: 'CREATE_LICENSE', actual: 'VALIDATE_ONLY' });
  expect((await app.get(products, secret)).body.error?.details).toEqual({
    required: 'READ_ONLY',
    actual: 'VALIDATE_ONLY',
  });
});

describe('how a key ends', () => {
  it('revoked: refused at the very next request', async () => {
    const { id, secret } = await app.apiKey('FULL_ADMIN');
    expect(await answer(secret)).toEqual(ADMITTED);
    await apiKeys.revoke(app.ctx, 'license', id);
    expect(await answer(secret)).toEqual([401, 'API_KEY_REVOKED']);
  });

  it('expired: at its time and not a second before', async () => {
    const expiresAt = new Date(app.clock.epochMs() + 60_000).toISOString();
    const { secret } = await app.apiKey('FULL_ADMIN', { expiresAt });
    app.clock.advance(59.999);
    expect(await answer(secret)).toEqual(ADMITTED);
    app.clock.advance(0.001);
    expect(await answer(secret)).toEqual([401, 'API_KEY_EXPIRED']);
  });

  it('rotated: the old secret ends at once, or after its overlap', async () => {
    const made = await app.apiKey('FULL_ADMIN');
    const first = await apiKeys.rotate(app.ctx, 'license', made.id, 0);
    expect(await answer(made.secret)).toEqual([401, 'INVALID_API_KEY']);
    expect(await answer(first.secret)).toEqual(ADMITTED);
    const second = await apiKeys.rotate(app.ctx, 'license', made.id, 60);
    expect(await answer(first.secret)).toEqual(ADMITTED);
    app.clock.advance(60);
    expect(await answer(first.secret)).toEqual([401, 'INVALID_API_KEY']);
    expect(await answer(second.secret)).toEqual(ADMITTED);
    await apiKeys.revoke(app.ctx, 'license', made.id);
    expect(await answer(second.secret)).toEqual([401, 'API_KEY_REVOKED']);
  });

  it('of several faults the first in the order of D19a is told', async () => {
    const expiresAt = new Date(app.clock.epochMs() + 1000).toISOString();
    const { id, secret } = await app.apiKey('VALIDATE_ONLY', { expiresAt, ipAllowlist: ['10.0.0.1'] });
    const allowed = from('10.0.0.1');
    expect(await answer(secret, allowed)).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(await answer(secret)).toEqual([403, 'IP_NOT_ALLOWED']);
    app.clock.advance(1);
    expect(await answer(secret)).toEqual([401, 'API_KEY_EXPIRED']);
    await apiKeys.revoke(app.ctx, 'license', id);
    expect(await answer(secret)).toEqual([401, 'API_KEY_REVOKED']);
  });
});

describe('addresses (A041)', () => {
  it.each([
    ['10.0.0.1', ['10.0.0.1', '::ffff:10.0.0.1', '::FFFF:0a00:1'], ['10.0.0.2', '::ffff:10.0.0.2']],
    ['10.0.0.0/30', ['10.0.0.0', '10.0.0.3'], ['10.0.0.4', '9.255.255.255']],
    ['::ffff:10.0.0.0/126', ['10.0.0.3', '::ffff:10.0.0.0'], ['10.0.0.4']],
    ['2001:db8::/32', ['2001:db8::1', '2001:db8:ffff::'], ['2001:db9::', '32.1.13.184', '10.0.0.1']],
    ['2001:db8::1', ['2001:0db8:0:0:0:0:0:1'], ['2001:db8::2']],
    ['0.0.0.0/0', ['1.2.3.4'], ['2001:db8::1']],
    ['::/0', ['2001:db8::1'], ['1.2.3.4']],
  ])('the list %s', async (entry, inside, outside) => {
    const { secret } = await app.apiKey('FULL_ADMIN', { ipAllowlist: [entry, '192.0.2.7'] });
    for (const address of [...inside, '192.0.2.7'])
      expect(await answer(secret, from(address))).toEqual(ADMITTED);
    for (const address of outside) expect(await answer(secret, from(address))).toEqual(REFUSED);
  });

  it('an address that is none is in no list', async () => {
    const { secret } = await app.apiKey('FULL_ADMIN', { ipAllowlist: ['127.0.0.0/8'] });
    for (const text of ['127.0.0.1.evil.test', 'unknown', '[::1]', '127.0.0.256'])
      expect(await answer(secret, from(text))).toEqual(REFUSED);
  });
});

describe('another tenant', () => {
  it('has its own keys, and none of them opens anything while it is suspended', async () => {
    const ctx = await app.otherTenant();
    const { secret } = await app.apiKey('FULL_ADMIN', {}, ctx);
    expect(await answer(secret)).toEqual(ADMITTED);
    await app.instance.database.transaction(async ({ knex }) => {
      await knex('license_tenants').where({ id: ctx.tenantId }).update({ status: 'SUSPENDED' });
    });
    const reply = await app.get(products, secret);
    expect([reply.status, reply.body.error?.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(reply.body.error?.details).toMatchObject({ reason: 'TENANT_SUSPENDED' });
  });
});
