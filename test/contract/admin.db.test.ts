// What every operation of the admin API owes its caller, read from the declarations themselves (licensing 4.1, 4.2).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSeconds } from '#kernel/clock.ts';
import { loadConfig } from '#kernel/config/load.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import * as adminTokens from '#platform/admin-tokens/index.ts';
import { PERMISSIONS, type Permission } from '#platform/permissions/index.ts';
import * as roles from '#platform/roles/index.ts';
import { surfacesOf } from '../../src/app/serve.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import type { Sent } from '../support/http-client.ts';
import { LOOPBACK_PINS } from '../support/webhooks.ts';
import { holders } from './admin-permissions.ts';
import { uploaded } from './admin-releases.ts';
import { type AdminWorld, adminWorld, bodies, pathIn } from './admin-world.ts';
import { adminRows } from './licensing/index.ts';
import { personal } from './platform/staff-api.ts';

const { config } = await loadConfig({ cwd: import.meta.dirname, env: { HOME: import.meta.dirname } });
const endpoints = surfacesOf(config).find(({ name }) => name === 'admin')?.endpoints ?? [];
const nameOf = ({ method, path }: Endpoint) => `${method.toUpperCase()} ${path.replace('/api/v1/admin', '')}`;
const all = endpoints.map((endpoint) => [nameOf(endpoint), endpoint] as const);
// What is about the person who signed in has tests of its own: test/platform/staff-api.db.test.ts.
const named = all.filter(([name]) => !personal.has(name));

let app: TestApp;
let owner: MadeKey;
/** Of the whole installation. */
let everywhere: MadeKey;
let world: AdminWorld;
let foreign: AdminWorld;
let foreignCtx: Ctx;
const tokens: Record<string, MadeKey> = {};
let roleCount = 0;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS, metrics: true });
  for (const role of holders['licensing:read'] ?? []) tokens[role] = await app.adminToken(role);
  owner = tokens.owner as MadeKey;
  everywhere = await app.adminToken('owner', { isInstanceWide: true });
  foreignCtx = await app.otherTenant();
  [world, foreign] = [await adminWorld(app.ctx), await adminWorld(foreignCtx)];
});
afterAll(() => app.close());

const ask = (endpoint: Endpoint, token: MadeKey | null, of: AdminWorld, more: Sent = {}) =>
  app.admin(pathIn(endpoint, of), token, {
    method: endpoint.method.toUpperCase(),
    ...(endpoint.upload ? uploaded : { body: endpoint.body && bodies[nameOf(endpoint)]?.(of) }),
    ...more,
    headers: { ...(endpoint.upload && uploaded.headers), ...more.headers },
  });

it('every operation has its row, and every one with a body a right one', () => {
  expect(Object.fromEntries(all.map(([name, { scope }]) => [name, scope]))).toEqual(adminRows);
  const withBody = named.filter(([, { body }]) => body).map(([name]) => name);
  expect(Object.keys(bodies).sort()).toEqual(withBody.sort());
});

describe.each(named)('%s', (_name, endpoint) => {
  it('succeeds with an answer of the declared shape, and nothing that is not declared', async () => {
    const reply = await ask(endpoint, everywhere, await adminWorld(app.ctx));
    if (endpoint.content) {
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({ 'cache-control': 'no-store' });
      expect(reply.headers['content-type']).toContain(endpoint.content.type);
      return;
    }
    expect(Object.keys(endpoint.replies)).toEqual([String(reply.status)]);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    const { success, ...rest } = reply.body;
    expect(success).toBe(true);
    expect(endpoint.replies[reply.status]?.parse(rest)).toEqual(rest);
  });

  it('answers 401 without a live token, and nothing is stored', async () => {
    const apiKey = await app.apiKey('FULL_ADMIN');
    const expiring = await app.adminToken('owner', { expiresAt: addSeconds(app.ctx.now(), 1) });
    const revoked = await app.adminToken('owner');
    await adminTokens.revoke(app.ctx, revoked.id);
    app.clock.advance(1);
    const headers = (value: string) => ({ headers: { Authorization: value } });
    const { result, changes } = await app.changesBy(async () => [
      await ask(endpoint, null, world),
      await ask(endpoint, null, world, { key: apiKey.secret }),
      await ask(endpoint, null, world, headers('Bearer')),
      await ask(endpoint, null, world, headers(`Basic ${owner.secret}`)),
      await ask(endpoint, null, world, headers(owner.secret)),
      await ask(endpoint, apiKey, world),
      await ask(endpoint, { id: '', secret: `adm_${'A'.repeat(43)}` }, world),
      await ask(endpoint, expiring, world),
      await ask(endpoint, revoked, world),
    ]);
    const none = undefined;
    const reasons = [none, none, none, none, none, 'UNKNOWN', 'UNKNOWN', 'EXPIRED', 'REVOKED'];
    expect(result.map(({ body }) => body.error?.details?.reason)).toEqual(reasons);
    for (const { status, body, headers } of result) {
      expect([status, body.error?.code, headers['www-authenticate']]).toEqual([
        401,
        'UNAUTHORIZED',
        'Bearer',
      ]);
    }
    expect(changes).toEqual(nothing);
  });

  it('opens to the roles that hold its permission and names it to the others, before the body is looked at', async () => {
    const { result, changes } = await app.changesBy(async () => {
      const codes: Record<string, unknown> = {};
      for (const [role, token] of Object.entries(tokens)) {
        if (holders[endpoint.scope as string]?.includes(role)) continue;
        const { status, body } = await ask(endpoint, token, world, endpoint.body && { body: 'broken' });
        codes[role] = [status, body.error?.code, body.error?.details?.required];
      }
      return codes;
    });
    const refused = Object.keys(tokens).filter((role) => !holders[endpoint.scope as string]?.includes(role));
    const answer = [403, 'INSUFFICIENT_SCOPE', endpoint.scope];
    expect(result).toEqual(Object.fromEntries(refused.map((role) => [role, answer])));
    expect(changes).toEqual(nothing);
    for (const role of holders[endpoint.scope as string] ?? []) {
      const token = tokens[role] as MadeKey;
      const { status } = await ask(endpoint, token, world, { headers: { 'X-Tenant': 'nope' } });
      expect([role, status]).toEqual([role, 404]);
    }
  });

  it('opens to a role that holds its permission alone, and not to one that holds every other', async () => {
    const needed = endpoint.scope as Permission;
    const rest = PERMISSIONS.filter((one) => one !== needed && one !== needed.replace(/:read$/, ':write'));
    const [only, others] = [await ownRole([needed]), await ownRole(rest)];
    const { result, changes } = await app.changesBy(async () => [
      await ask(endpoint, only, world, { headers: { 'X-Tenant': 'nope' } }),
      await ask(endpoint, others, world),
    ]);
    expect(result.map(({ status, body }) => [status, body.error?.details?.required])).toEqual([
      [404, undefined],
      [403, needed],
    ]);
    expect(changes).toEqual(nothing);
  });
});

/** A token of a role of the installation's own. */
async function ownRole(permissions: readonly Permission[]): Promise<MadeKey> {
  roleCount += 1;
  const { name } = await roles.create(app.ctx, { name: `own-${roleCount}`, permissions: [...permissions] });
  return app.adminToken(name);
}

/** What only makes something names nothing of anybody. */
const naming = named.filter(([name, { params }]) => params !== undefined || !name.startsWith('POST'));

describe.each(naming)('%s', (_name, endpoint) => {
  it('knows nothing of another tenant: its ids are unknown, and nothing of it is in a list', async () => {
    const { result, changes } = await app.changesBy(() => ask(endpoint, owner, foreign));
    if (endpoint.params) expect([result.status, result.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    for (const id of Object.values(foreign)) {
      expect(result.text.replace(/"message":"[^"]*"/, '')).not.toContain(id);
    }
    expect(changes).toEqual(nothing);
  });
});

/** The tenant's own, whatever somebody is confined to: to be read, but not to be changed. */
const isShared = ({ path }: Endpoint): boolean => path.includes('/key-formats');

describe.each(naming)('%s', (_name, endpoint) => {
  it('knows nothing of a product outside of the scope: its ids are unknown, and nothing of it is in a list', async () => {
    const mine = await app.product();
    const confined = await app.adminToken('owner', { productIds: [mine.id] });
    const { result, changes } = await app.changesBy(() => ask(endpoint, confined, world));
    const code = isShared(endpoint)
      ? endpoint.method === 'get'
        ? undefined
        : 'INSUFFICIENT_SCOPE'
      : 'NOT_FOUND';
    if (endpoint.params) expect(result.body.error?.code).toBe(code);
    for (const [name, id] of Object.entries(world)) {
      if (name !== 'keyFormat') expect(result.text.replace(/"message":"[^"]*"/, '')).not.toContain(id);
    }
    expect(changes).toEqual(nothing);
  });
});

const withBody = named.filter(([, { body }]) => body);

describe('a body', () => {
  it.each(withBody)(
    'of %s is refused with an unknown field, as no object and as no JSON',
    async (_name, endpoint) => {
      const body = bodies[nameOf(endpoint)]?.(world);
      const json = { headers: { 'Content-Type': 'application/json' } };
      const { result, changes } = await app.changesBy(async () => [
        await ask(endpoint, owner, world, { body: { ...body, unheard: 1 } }),
        await ask(endpoint, owner, world, {
          body: JSON.stringify({ ...body, ['__proto__']: 1 }).replace('{', '{"__proto__":{"a":1},'),
          ...json,
        }),
        await ask(endpoint, owner, world, { body: [body] }),
        await ask(endpoint, owner, world, { body: '{', ...json }),
        await ask(endpoint, owner, world, { body: '{"note":"\\ud800"}', ...json }),
        await ask(endpoint, owner, world, { body: JSON.stringify(body) }),
      ]);
      expect(result.map(({ status, body }) => [status, body.error?.code])).toEqual(
        result.map(() => [400, 'VALIDATION_ERROR']),
      );
      expect(result[0]?.body.error?.message).toContain('unheard');
      expect(changes).toEqual(nothing);
    },
  );

  it('may be left out where nothing has to be said', async () => {
    for (const [name, endpoint] of withBody) {
      const reply = await ask(endpoint, owner, await adminWorld(app.ctx), { body: undefined });
      expect([name, reply.status]).toEqual([name, endpoint.bodyOptional ? 200 : 400]);
    }
  });
});

/** Whether an answer has pages: that of a single thing may take a query as well. */
const isPage = (reply: unknown): boolean =>
  'pagination' in ((reply as { shape?: object } | undefined)?.shape ?? {});

describe('a list', () => {
  const lists = named.filter(([, { query, replies }]) => query && isPage(replies[200]));
  it.each(lists)('%s has pages, and refuses filters that it does not know', async (_name, endpoint) => {
    const own = await adminWorld(app.ctx);
    const at = (query: string, from = own) => app.admin(`${pathIn(endpoint, from)}?${query}`, owner);
    const first = await at('page=1&limit=1');
    expect(first.body.pagination).toEqual({
      page: 1,
      limit: 1,
      total: expect.any(Number),
      totalPages: first.body.pagination?.total,
    });
    expect((await at('page=1000000')).body.items).toEqual([]);
    for (const query of ['page=0', 'limit=501', 'limit=0', 'limit=1&limit=2', 'colour=red', 'page=x']) {
      const { status, body } = await at(query);
      expect([query, status, body.error?.code]).toEqual([query, 400, 'VALIDATION_ERROR']);
    }
  });
});

describe('If-Match', () => {
  const conditional = named.filter(([, { headers }]) => headers);

  it('is read by every change and deletion of a single thing', () => {
    const single = named.filter(([name]) =>
      /^(PATCH|DELETE)|^POST .*\/(enable|disable|rotate-secret|mappings)$|^(POST|PUT) \/releases\/\{id\}/.test(
        name,
      ),
    );
    expect(conditional.map(([name]) => name)).toEqual(single.map(([name]) => name));
  });

  // A mapping is named by what is sent: its test is in test/licensing/admin-integrations.db.test.ts.
  it.each(conditional.filter(([name]) => !name.endsWith('mappings')))(
    '%s: a stale one is 412 and changes nothing, the right one goes through',
    async (_name, endpoint) => {
      const own = await adminWorld(app.ctx);
      const path = pathIn(endpoint, own);
      const thing = path.replace(/\/[a-z-]+$/, '');
      if (path.endsWith('/enable')) await app.admin(`${thing}/disable`, owner, { method: 'POST' });
      const updatedAt = await updatedAtOf(thing);
      const sent = (value: string) => ask(endpoint, owner, own, { headers: { 'If-Match': value } });
      const { result, changes } = await app.changesBy(async () => ({
        stale: await sent('"2026-01-01T00:00:00.000Z"'),
        bare: await sent(updatedAt),
        list: await sent(`"${updatedAt}", "x"`),
        weak: await sent(`W/"${updatedAt}"`),
      }));
      const { stale, ...malformed } = result;
      expect([stale.status, stale.body.error?.code]).toEqual([412, 'PRECONDITION_FAILED']);
      for (const { status, body } of Object.values(malformed))
        expect([status, body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(changes).toEqual(nothing);
      app.clock.advance(1);
      expect((await sent(`"${updatedAt}"`)).status).toBe(200);
      const again = await sent(`"${updatedAt}"`);
      const isGone = endpoint.method === 'delete';
      expect(again.status).toBe(isGone ? 404 : 412);
      // What was published cannot be published again, whatever its state.
      if (!isGone) expect((await sent('*')).status).toBe(path.endsWith('/publish') ? 409 : 200);
    },
  );

  async function updatedAtOf(path: string): Promise<string> {
    const [list, id] = [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)];
    const { body } = await app.admin(`${list}?limit=500`, owner);
    const items = body.items as unknown as { id: string; updatedAt: string }[];
    return items.find((item) => item.id === id)?.updatedAt ?? '';
  }
});

it.each([
  ['GET', ''],
  ['GET', '/'],
  ['GET', '/nothing'],
  ['PUT', '/webhooks'],
  ['DELETE', '/webhooks'],
  ['GET', '/webhooks/'],
  ['GET', '/Webhooks'],
  ['OPTIONS', '/webhooks'],
])('%s %s is 404 in the envelope', async (method, path) => {
  const { result, changes } = await app.changesBy(() => app.admin(path, owner, { method }));
  expect(result.status).toBe(404);
  expect(result.body).toEqual({
    success: false,
    error: { code: 'NOT_FOUND', message: 'No such endpoint' },
    requestId: expect.stringMatching(/^req_[0-9A-Z]{26}$/),
  });
  expect(changes).toEqual(nothing);
});
