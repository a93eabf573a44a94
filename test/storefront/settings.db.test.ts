// Settings and features of the shop (storefront-domain 13; storefront-api.md A and AJ), with a key, a token and without.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as apiKeys from '#platform/api-keys/index.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
const keys: Record<string, string> = {};
beforeAll(async () => {
  app = await startApp();
  for (const scope of ['settings:read', 'settings:write', 'products:write']) {
    const { secret } = await apiKeys.create(app.ctx, {
      service: 'store',
      name: scope,
      scope: null,
      scopes: [scope],
    });
    keys[scope] = secret;
  }
});
afterAll(() => app.close());

const send = (path: string, scope: string | null, method = 'GET', body?: unknown) =>
  app.send(path, {
    method,
    body,
    headers: scope === null ? {} : { Authorization: `Bearer ${keys[scope] ?? scope}` },
  });
const read = (path: string) => send(path, 'settings:read');
/** The `data` of an answer that is read. */
const dataOf = async <T = Record<string, string>>(path = '/api/store/settings'): Promise<T> =>
  (await read(path)).body.data as T;
const write = (body: unknown, path = '/api/store/settings') => send(path, 'settings:write', 'PATCH', body);

const refusal = (error_code: string, details?: unknown) =>
  expect.objectContaining({
    success: false,
    error: expect.any(String),
    error_code,
    ...(details !== undefined && { details: expect.objectContaining(details) }),
  });

describe('who may', () => {
  it.each([
    ['nobody', null, 401, 'AUTH_UNAUTHORIZED'],
    ['an unknown key', 'ask_nope', 401, 'AUTH_UNAUTHORIZED'],
    ['another scheme', 'nope', 401, 'AUTH_UNAUTHORIZED'],
    ['a key without the scope', 'products:write', 403, 'AUTH_FORBIDDEN'],
  ])('%s reads no settings', async (_who, key, status, code) => {
    const reply = await send('/api/store/settings', key);
    expect([reply.status, reply.body]).toEqual([status, refusal(code)]);
    expect(reply.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
  });

  it('a key of the license service opens nothing here, and one of the shop nothing there', async () => {
    const { secret } = await app.apiKey('FULL_ADMIN');
    expect((await send('/api/store/settings', secret)).status).toBe(401);
    const there = await app.get('/api/v1/products', keys['settings:read']);
    expect([there.status, there.body.error?.code]).toEqual([401, 'INVALID_API_KEY']);
  });

  it('write implies read, and read no write', async () => {
    expect((await send('/api/store/settings', 'settings:write')).status).toBe(200);
    const refused = await send('/api/store/settings', 'settings:read', 'PATCH', { store_name: 'x' });
    expect([refused.status, refused.body]).toEqual([
      403,
      refusal('AUTH_FORBIDDEN', { required: 'settings:write' }),
    ]);
  });

  it('an admin token does by its role', async () => {
    const manager = await app.adminToken('manager');
    const support = await app.adminToken('support');
    expect((await send('/api/store/settings', manager.secret)).status).toBe(200);
    const refused = await send('/api/store/settings', support.secret);
    expect([refused.status, refused.body.error_code]).toEqual([403, 'AUTH_FORBIDDEN']);
  });

  it('staff of another tenant alone has no business in the shop', async () => {
    const token = await app.adminToken('owner', {}, await app.otherTenant());
    const refused = await send('/api/store/settings', token.secret);
    expect([refused.status, refused.body.error_code]).toEqual([403, 'AUTH_FORBIDDEN']);
  });

  it('a revoked key and one for another address are refused', async () => {
    const { apiKey, secret } = await apiKeys.create(app.ctx, {
      service: 'store',
      name: 'gone',
      scope: null,
      scopes: ['settings:read'],
    });
    await apiKeys.revoke(app.ctx, 'store', apiKey.id);
    expect((await send('/api/store/settings', secret)).body.error).toBe('The API key has been revoked');
    const elsewhere = await apiKeys.create(app.ctx, {
      service: 'store',
      name: 'elsewhere',
      scope: null,
      scopes: ['settings:read'],
      ipAllowlist: ['203.0.113.9'],
    });
    expect((await send('/api/store/settings', elsewhere.secret)).status).toBe(403);
  });
});

describe('settings', () => {
  it('are one flat object of texts, with the defaults of the specification', async () => {
    const { status, body } = await read('/api/store/settings');
    expect([status, body.success]).toEqual([200, true]);
    const settings = await dataOf();
    expect(settings).toMatchObject({
      store_name: '',
      currency_code: 'USD',
      currency_symbol: '$',
      brand_color: '#111827',
      payment_processor: '',
      low_stock_threshold: '5',
      promotion_stacking_mode: 'best_wins',
      cart_recovery_enabled: '0',
      b2b_enabled: '0',
      merch_builder_enabled: '0',
      session_max_age_days: '7',
      session_idle_timeout_minutes: '120',
    });
    expect(Object.values(settings).every((value) => typeof value === 'string')).toBe(true);
    expect(Object.keys(settings).filter((key) => key.includes('.'))).toEqual([]);
    expect(Object.keys(await dataOf('/api/store/settings?group=tax'))).toEqual([
      'prices_include_tax',
      'tax_round_at',
      'tax_based_on',
      'store_state',
      'store_postal_code',
      'store_tax_id',
    ]);
  });

  it('say what they take, without what this version has not', async () => {
    const listed = await dataOf<{ key: string; type: string }[]>('/api/store/settings/schema');
    const byKey = Object.fromEntries(listed.map((one) => [one.key, one]));
    expect(byKey.promotion_stacking_mode).toEqual({
      key: 'promotion_stacking_mode',
      group: 'promotions',
      type: 'string',
      default: 'best_wins',
      help: expect.any(String),
      secret: false,
      options: ['none', 'best_wins', 'controlled'],
    });
    expect([byKey.low_stock_threshold?.type, byKey.prices_include_tax?.type]).toEqual(['integer', 'boolean']);
    expect(byKey.b2b_enabled).toBeUndefined();
  });

  it('change together, are told once, and go back to their defaults', async () => {
    const { result, changes } = await app.changesBy(() =>
      write({
        store_name: '  Tea & Co  ',
        low_stock_threshold: '3',
        prices_include_tax: true,
        brand_color: '#111827',
      }),
    );
    expect([result.status, result.body]).toEqual([
      200,
      { success: true, data: { changed: ['store_name', 'low_stock_threshold', 'prices_include_tax'] } },
    ]);
    expect(changes.events).toEqual(Array(3).fill('SETTING_CHANGED'));
    expect((await read('/api/store/settings/store_name')).body.data).toEqual({
      key: 'store_name',
      value: 'Tea & Co',
      default: '',
    });
    const back = await send('/api/store/settings/store_name', 'settings:write', 'DELETE');
    expect([back.status, back.body.data?.value]).toEqual([200, '']);
    await write({ low_stock_threshold: null, prices_include_tax: '0' });
    expect(await dataOf()).toMatchObject({
      low_stock_threshold: '5',
      prices_include_tax: '0',
    });
  });

  it.each([
    ['an unknown key', { store_name: 'x', nope: '1' }, 404, 'NOT_FOUND'],
    ['a setting of the whole installation', { audit_retention_days: '1' }, 404, 'NOT_FOUND'],
    ['a key of the license service', { 'licensing.trash_days': '1' }, 404, 'NOT_FOUND'],
    ['a colour that is none', { store_name: 'x', brand_color: 'red' }, 400, 'VALIDATION_ERROR'],
    ['a currency that is none', { currency_code: 'XYZ' }, 400, 'VALIDATION_ERROR'],
    ['a processor that is not there', { payment_processor: 'bank' }, 400, 'VALIDATION_ERROR'],
    ['a feature that is not built', { b2b_enabled: '1' }, 400, 'VALIDATION_ERROR'],
    ['a negative threshold', { low_stock_threshold: -1 }, 400, 'VALIDATION_ERROR'],
    ['no object', [1], 400, 'VALIDATION_ERROR'],
  ])('%s changes nothing', async (_what, body, status, code) => {
    const { result, changes } = await app.changesBy(() => write(body));
    expect([result.status, result.body]).toEqual([status, refusal(code)]);
    expect(changes.events).toEqual([]);
    expect((await dataOf()).store_name).toBe('');
  });

  it('that is unknown is not found', async () => {
    for (const key of ['nope', 'licensing.trash_days', '%3Cscript%3E']) {
      const { status, body } = await read(`/api/store/settings/${key}`);
      expect([key, status, body]).toEqual([key, 404, refusal('NOT_FOUND')]);
    }
  });
});

describe('features', () => {
  it('are those that this version has', async () => {
    expect((await read('/api/store/features')).body).toEqual({
      success: true,
      data: { gift_cards_enabled: true, licenses_enabled: true, returns_enabled: true },
    });
  });

  it.each([
    [{ b2b_enabled: true }, 400, 'VALIDATION_ERROR'],
    [{ nope: true }, 404, 'NOT_FOUND'],
    [{ store_name: true }, 404, 'NOT_FOUND'],
    [{ b2b_enabled: '1' }, 400, 'VALIDATION_ERROR'],
  ])('%j is refused', async (body, status, code) => {
    const reply = await write(body, '/api/store/features');
    expect([reply.status, reply.body]).toEqual([status, refusal(code)]);
  });
});

describe('the configuration of the shop', () => {
  it('is open to everybody, and follows the settings', async () => {
    const { status, body, headers } = await send('/api/shop/config', null);
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        data: {
          store_name: '127.0.0.1',
          logo_url: null,
          brand_color: '#111827',
          currency_code: 'USD',
          currency_symbol: '$',
          currency_exponent: 2,
          prices_include_tax: false,
          default_country: 'US',
          features: expect.objectContaining({ b2b: false, reviews: false, gift_cards: true }),
          min_password_length: 8,
        },
      },
    ]);
    expect(headers['set-cookie']).toBeUndefined();
    const known = await app.send('/api/shop/config', { headers: { 'If-None-Match': String(headers.etag) } });
    expect([known.status, known.headers['cache-control']]).toEqual([304, 'public, no-cache']);
    await write({ store_name: 'Tee <b>', currency_code: 'JPY' });
    expect((await send('/api/shop/config', null)).body.data).toMatchObject({
      store_name: 'Tee <b>',
      currency_code: 'JPY',
      currency_exponent: 0,
    });
    await write({ store_name: null, currency_code: null });
  });

  it('unknown addresses and methods answer in the manner of the shop', async () => {
    for (const [path, method] of [
      ['/api/shop/nope', 'GET'],
      ['/api/store/nope', 'GET'],
      ['/api/shop/config', 'POST'],
    ] as const) {
      const { status, body } = await send(path, null, method);
      expect([path, status, body]).toEqual([path, 404, refusal('NOT_FOUND')]);
    }
  });

  it('a body that is no JSON, and one that is too large', async () => {
    const headers = { Authorization: `Bearer ${keys['settings:write']}`, 'Content-Type': 'application/json' };
    const cut = await fetch(`${app.url}/api/store/settings`, { method: 'PATCH', headers, body: '{"a":' });
    expect([cut.status, await cut.json()]).toEqual([400, refusal('VALIDATION_ERROR')]);
    const body = JSON.stringify({ store_name: 'x'.repeat(1024 * 1024 + 1) });
    const large = await fetch(`${app.url}/api/store/settings`, { method: 'PATCH', headers, body });
    expect([large.status, await large.json()]).toEqual([413, refusal('VALIDATION_ERROR')]);
  });
});
