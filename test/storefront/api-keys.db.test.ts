// Keys of the shop's API: made, used, changed and ended by JSON (storefront-api.md AN; spec, Authentication).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let owner: string;
beforeAll(async () => {
  app = await startApp();
  owner = (await app.adminToken('owner')).secret;
});
afterAll(() => app.close());

const send = (path: string, method = 'GET', body?: unknown, secret = owner) =>
  app.send(`/api/store${path}`, { method, body, headers: { Authorization: `Bearer ${secret}` } });

/** Makes a key. @returns what was answered of it, with its secret as `key` */
async function made(fields: object = {}) {
  const { status, body } = await send('/api-keys', 'POST', {
    name: 'sync',
    scopes: ['settings:read'],
    ...fields,
  });
  expect(status).toBe(201);
  return body.data as unknown as { id: string; key: string };
}

it('is shown with its secret once, and opens what its scopes say', async () => {
  const { result, changes } = await app.changesBy(() => made({ unknown_field: 1 }));
  expect(changes.events).toEqual(['API_KEY_CREATED']);
  expect(result).toEqual({
    id: expect.stringMatching(/^key_/),
    name: 'sync',
    prefix: result.key.slice(0, 8),
    scopes: ['settings:read'],
    ip_allowlist: [],
    allowed_origins: [],
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    previous_until: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
    key: expect.stringMatching(/^ask_/),
  });
  expect((await send('/settings', 'GET', undefined, result.key)).status).toBe(200);
  const shown = await send(`/api-keys/${result.id}`);
  expect([shown.status, JSON.stringify(shown.body).includes(result.key)]).toEqual([200, false]);
});

it('is named by the refusal of who sends nothing, or another scheme', async () => {
  const told = async (headers: Record<string, string>) => {
    const { status, body } = await app.send('/api/store/products', { headers });
    return [status, body.error];
  };
  expect(await told({})).toEqual([401, 'Sign in, or send Authorization: Bearer <API key or admin token>']);
  const basic = await told({ Authorization: 'Basic YTpi' });
  expect(basic).toEqual([401, 'Authorization must be Bearer <API key or admin token>']);
});

it.each([
  ['no name', { name: undefined }, 'VALIDATION_MISSING_FIELD'],
  ['no scopes', { scopes: undefined }, 'VALIDATION_MISSING_FIELD'],
  ['an empty list of scopes', { scopes: [] }, 'VALIDATION_ERROR'],
  ['a scope of the license API', { scopes: ['FULL_ADMIN'] }, 'VALIDATION_ERROR'],
  ['a permission that is no scope', { scopes: ['api_keys:write'] }, 'VALIDATION_ERROR'],
  ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }, 'VALIDATION_ERROR'],
  ['a range that is none', { ip_allowlist: ['nowhere'] }, 'VALIDATION_ERROR'],
])('%s makes none', async (_what, fields, code) => {
  const { result, changes } = await app.changesBy(() =>
    send('/api-keys', 'POST', { name: 'sync', scopes: ['settings:read'], ...fields }),
  );
  expect([result.status, result.body.error_code]).toEqual([400, code]);
  expect(changes.events).toEqual([]);
});

it('is changed, given a new secret, and ended for good', async () => {
  const { id, key } = await made();
  const changed = await send(`/api-keys/${id}`, 'PATCH', {
    name: 'import',
    ip_allowlist: ['203.0.113.0/24'],
  });
  expect(changed.body.data).toMatchObject({ name: 'import', ip_allowlist: ['203.0.113.0/24'] });
  await send(`/api-keys/${id}`, 'PATCH', { ip_allowlist: [] });
  const rotated = await send(`/api-keys/${id}/rotate`, 'POST', { overlap_seconds: 0 });
  const next = String(rotated.body.data?.key);
  const opens = async (secret: string) => (await send('/settings', 'GET', undefined, secret)).status;
  expect([await opens(key), await opens(next)]).toEqual([401, 200]);
  const ended = await send(`/api-keys/${id}/revoke`, 'POST', {});
  expect([ended.status, await opens(next)]).toEqual([200, 401]);
  expect((await send(`/api-keys/${id}/rotate`, 'POST', {})).body).toMatchObject({
    error_code: 'VALIDATION_ERROR',
    details: { reason: 'INVALID_TRANSITION' },
  });
});

it('is listed without those of the license service, in pages', async () => {
  await app.apiKey('FULL_ADMIN');
  const { body } = await send('/api-keys?per_page=2');
  expect(body).toMatchObject({ success: true, pagination: { page: 1, per_page: 2 } });
  const all = await send('/api-keys?per_page=100');
  const names = (all.body.data as unknown as { scopes: string[] }[]).flatMap(({ scopes }) => scopes);
  expect(new Set(names)).toEqual(new Set(['settings:read']));
  for (const query of ['page=0', 'page=-1', 'page=x', 'per_page=101', 'sort=nope'])
    expect([query, (await send(`/api-keys?${query}`)).status]).toEqual([query, 400]);
  const beyond = await send('/api-keys?page=1000000000');
  expect([beyond.status, beyond.body.data]).toEqual([200, []]);
});

it('keys of one service are unknown to the other', async () => {
  const license = await app.apiKey('VALIDATE_ONLY');
  for (const [path, method] of [
    ['', 'GET'],
    ['', 'PATCH'],
    ['/revoke', 'POST'],
    ['/rotate', 'POST'],
  ] as const) {
    const { status, body } = await send(
      `/api-keys/${license.id}${path}`,
      method,
      method === 'GET' ? undefined : {},
    );
    expect([path, method, status, body.error_code]).toEqual([path, method, 404, 'NOT_FOUND']);
  }
  const { id } = await made();
  const token = await app.adminToken('owner');
  const refused = await app.admin(`/api-keys/${id}/revoke`, token, { body: {} });
  expect(refused.status).toBe(404);
});

it('no key makes keys, and nobody gives what they lack', async () => {
  const { key } = await made({ scopes: ['settings:write', 'products:write'] });
  const byKey = await send('/api-keys', 'POST', { name: 'x', scopes: ['settings:read'] }, key);
  expect([byKey.status, byKey.body]).toEqual([
    403,
    {
      success: false,
      error: 'API keys cannot do this: use an admin token or the panel',
      error_code: 'AUTH_FORBIDDEN',
      details: { required: 'api_keys:write' },
    },
  ]);
  const manager = await app.adminToken('manager');
  expect((await send('/api-keys', 'GET', undefined, manager.secret)).status).toBe(403);
});

it('a credential has its own bucket, which a setting narrows', async () => {
  const strict = await startApp({ limits: 'on', pins: { 'store.limits.staff.max': '2' } });
  const as = (secret: string) =>
    strict.send('/api/store/api-keys', { headers: { Authorization: `Bearer ${secret}` } });
  const [one, other] = [await strict.adminToken('owner'), await strict.adminToken('owner')];
  const answers = [await as(one.secret), await as(one.secret), await as(one.secret), await as(other.secret)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 200]);
  expect(answers[2]?.body).toMatchObject({
    error_code: 'RATE_LIMITED',
    error: expect.stringMatching(/may send 2 in a window; try again in \d+ s/),
    details: { bucket: 'staff', limit: 2 },
  });
  expect(Number(answers[2]?.headers['retry-after'])).toBeGreaterThan(0);
  await strict.close();
});

it('says of a secret that nobody made that it is neither key nor token', async () => {
  for (const secret of ['nope', 'alk_0000000000000000000000000000000000000000000']) {
    const { status, body } = await send('/products', 'GET', undefined, secret);
    expect([status, body.error]).toEqual([401, 'The API key or admin token is not valid']);
  }
});

it('changes settings, but not the mail server, which sees every link to a new password', async () => {
  const { key } = await made({ scopes: ['settings:write'] });
  expect((await send('/settings', 'PATCH', { store_name: 'Tea House' }, key)).status).toBe(200);
  for (const values of [{ smtp_host: 'mail.evil.example' }, { store_name: 'Evil House', smtp_port: 2525 }]) {
    const { status, body } = await send('/settings', 'PATCH', values, key);
    expect([status, body.error_code]).toEqual([403, 'AUTH_FORBIDDEN']);
  }
  const { body } = await send('/settings');
  expect(JSON.stringify(body)).not.toMatch(/evil/i);
  expect((await send('/settings', 'PATCH', { smtp_host: 'mail.shop.example' })).status).toBe(200);
  expect((await send('/settings', 'PATCH', { smtp_host: null })).status).toBe(200);
});
