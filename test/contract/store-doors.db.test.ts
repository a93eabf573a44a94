// Who may call each operation of the shop's staff API, read from the declarations themselves, and what each says to a body
// that is no JSON and to a thing that does not exist.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '#kernel/config/load.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import { API_KEY_SCOPES, type ApiKeyScope } from '#storefront/contract/scopes.ts';
import * as apiKeys from '#storefront/tools/api-keys/index.ts';
import { surfacesOf } from '../../src/app/serve.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

const { config } = await loadConfig({ cwd: import.meta.dirname, env: { HOME: import.meta.dirname } });
const endpoints = surfacesOf(config).find(({ name }) => name === 'store')?.endpoints ?? [];
const closed = endpoints
  .filter(({ scope }) => scope !== null)
  .map((endpoint) => [`${endpoint.method.toUpperCase()} ${endpoint.path}`, endpoint] as const);

let app: TestApp;
let owner: MadeKey;
let viewer: MadeKey;
let licensing: MadeKey;
const keys = new Map<string, string>();
beforeAll(async () => {
  app = await startApp();
  owner = await app.adminToken('owner');
  viewer = await app.adminToken('viewer');
  licensing = await app.apiKey('FULL_ADMIN');
  for (const scope of API_KEY_SCOPES)
    keys.set(scope, (await apiKeys.create(app.ctx, { name: scope, scopes: [scope] })).secret);
});
afterAll(() => app.close());

const ask = (
  { method, path }: Endpoint,
  secret: string | null,
  sent: { body?: unknown; headers?: Record<string, string> } = {},
): ReturnType<TestApp['send']> =>
  app.send(path.replaceAll(/\{\w+\}/g, 'xyz_nothing'), {
    method: method.toUpperCase(),
    ...sent,
    headers: { ...sent.headers, ...(secret !== null && { Authorization: `Bearer ${secret}` }) },
  });

const rehearsed = { headers: { 'Dry-Run': 'true' } };

/** Scopes of keys that open an operation: the one to write opens reading as well. */
function opening({ scope, orScope }: Endpoint): ApiKeyScope[] {
  const needed = (orScope === undefined ? scope : orScope) ?? '';
  return API_KEY_SCOPES.filter((one) => one === needed || one === needed.replace(/:read$/, ':write'));
}

it('there are more than a hundred operations', () => {
  expect(closed.length).toBeGreaterThan(100);
});

describe.each(closed)('%s', (_name, endpoint) => {
  it('answers 401 without a key, with an invalid key, and with a license API key', async () => {
    const { result, changes } = await app.changesBy(async () => [
      await ask(endpoint, null),
      await ask(endpoint, `ask_${'A'.repeat(43)}`),
      await ask(endpoint, 'nonsense'),
      await ask(endpoint, licensing.secret),
    ]);
    expect(result.map(({ status, body }) => [status, body.error_code])).toEqual(
      result.map(() => [401, 'AUTH_UNAUTHORIZED']),
    );
    expect(changes).toEqual(nothing);
  });

  it('answers 403 to a key with every other scope', async () => {
    const open = opening(endpoint);
    const scopes = API_KEY_SCOPES.filter((scope) => !open.includes(scope));
    const { secret } = await apiKeys.create(app.ctx, { name: 'others', scopes });
    const { status, body } = await ask(endpoint, secret);
    expect([status, body.error_code]).toEqual([403, 'AUTH_FORBIDDEN']);
    for (const scope of open) {
      // What would begin work that goes on after its answer is rehearsed.
      const opened = await ask(endpoint, keys.get(scope) ?? '', rehearsed);
      expect([scope, [401, 403].includes(opened.status)]).toEqual([scope, false]);
    }
  });

  if (endpoint.method !== 'get' && !endpoint.scope?.endsWith(':read'))
    it('a viewer changes nothing', async () => {
      const { result, changes } = await app.changesBy(() => ask(endpoint, viewer.secret));
      expect([result.status, result.body.error_code]).toEqual([403, 'AUTH_FORBIDDEN']);
      expect(changes).toEqual(nothing);
    });

  if ((/\{\w+\}/.test(endpoint.path) || endpoint.body) && !endpoint.path.includes('/sample/'))
    it('tells an owner what is wrong with nonsense, in the envelope, and stores nothing', async () => {
      const { result, changes } = await app.changesBy(async () => [
        await ask(endpoint, owner.secret, endpoint.body ? { body: {} } : {}),
        ...(endpoint.body
          ? [await ask(endpoint, owner.secret, { headers: { 'Content-Type': 'text/plain' }, body: 'x' })]
          : []),
      ]);
      for (const { status, body } of result)
        if (status >= 400)
          expect([status < 500, body.success, typeof body.error_code, typeof body.error]).toEqual([
            true,
            false,
            'string',
            'string',
          ]);
        else expect([status, body.data !== undefined]).toEqual([status, true]);
      expect(result.every(({ status }) => status >= 400) ? changes : nothing).toEqual(nothing);
    });
});
