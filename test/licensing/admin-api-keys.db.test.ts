// API keys through the admin API: nobody hands out a key that opens more than they may do themselves (admin.md 6.1).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY_SCOPES } from '#licensing/contract/enumerations.ts';
import { flushKeyHours } from '#licensing/insight/statistics/index.ts';
import * as roles from '#platform/roles/index.ts';
import { member, rowsOf } from '../platform/panel/staff.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

let app: TestApp;
let owner: MadeKey;
beforeAll(async () => {
  app = await startApp();
  owner = await app.adminToken('owner');
});
afterAll(() => app.close());

const post = (path: string, body: unknown, by: MadeKey) => app.admin(path, by, { body });

const handsOut = [
  [['licensing:secrets'], ['VALIDATE_ONLY']],
  [
    ['licensing:secrets', 'licensing:read'],
    ['VALIDATE_ONLY', 'READ_ONLY'],
  ],
  [['licensing:secrets', 'licensing:write'], [...API_KEY_SCOPES]],
] as const;

describe.each(handsOut)('who holds %j', (permissions, scopes) => {
  const name = `holder-${scopes.length}`;
  beforeAll(() => roles.create(app.ctx, { name, permissions: [...permissions] }));

  it.each(API_KEY_SCOPES)('makes and rotates a key of scope %s only when it opens no more', async (scope) => {
    const holder = await app.adminToken(name);
    const { body } = await post('/api-keys', { name: 'app', scope }, owner);
    for (const [path, input] of [
      ['/api-keys', { name: 'mine', scope }],
      [`/api-keys/${body.apiKey?.id}/rotate`, {}],
    ] as const) {
      const { result, changes } = await app.changesBy(() => post(path, input, holder));
      if ((scopes as readonly string[]).includes(scope)) {
        expect(result.body.rawKey).toMatch(/^alk_/);
        continue;
      }
      expect([result.status, result.body.error]).toMatchObject([403, { code: 'INSUFFICIENT_SCOPE' }]);
      expect(result.body.error?.details).toMatchObject({ reason: 'NOT_HELD' });
      expect(changes).toEqual(nothing);
    }
  });
});

describe('the page of a key', () => {
  const limitsOf = (html: string) => rowsOf(html).map(([bucket, used, , , size]) => [bucket, used, size]);

  it('shows how much of each limit is used, and looking uses none', async () => {
    const limited = await startApp({ limits: 'on' });
    const { browser } = await member(limited);
    const { id, secret } = await limited.apiKey('FULL_ADMIN');
    const page = `/admin/api-keys/${id}?tab=limits`;
    expect(limitsOf((await browser.open(page)).text)).toContainEqual(['write', '0 / 15', 'Default']);
    await limited.post('/api/v1/license/activate', {}, secret);
    await limited.post('/api/v1/license/activate', {}, secret);
    for (let i = 0; i < 2; i += 1)
      expect(limitsOf((await browser.open(page)).text)).toContainEqual(['write', '2 / 15', 'Default']);
    await limited.admin(`/api-keys/${id}`, await limited.adminToken('owner'), {
      method: 'PATCH',
      body: { limits: { write: { max: 0, windowSeconds: 60 }, heartbeat: { max: 7, windowSeconds: 60 } } },
    });
    const { text } = await browser.open(page);
    expect(limitsOf(text)).toContainEqual(['write', 'No limit', 'This key']);
    expect(limitsOf(text)).toContainEqual(['heartbeat', '0 / 7', 'This key']);
    expect(text).toContain('Each server counts separately');
    await limited.close();
    const off = await member(app);
    const free = await app.apiKey('FULL_ADMIN');
    const shown = limitsOf((await off.browser.open(`/admin/api-keys/${free.id}?tab=limits`)).text);
    expect(shown).toContainEqual(['write', 'No limit', 'Default']);
  });

  it('counts its calls of 24 hours, in the list too, which finds those that nobody uses', async () => {
    const { browser } = await member(app);
    const [busy, idle] = [await app.apiKey('VALIDATE_ONLY'), await app.apiKey('VALIDATE_ONLY')];
    for (let i = 0; i < 3; i += 1) await app.post('/api/v1/license/validate', {}, busy.secret);
    await flushKeyHours(app.ctx);
    expect((await app.admin(`/api-keys/${busy.id}`, owner)).body.apiKey).toMatchObject({ calls24h: 3 });
    expect((await app.admin(`/api-keys/${idle.id}`, owner)).body.apiKey).toMatchObject({ calls24h: 0 });
    const { items } = (await app.admin('/api-keys?limit=500', owner)).body as unknown as {
      items: { id: string; calls24h: number }[];
    };
    expect(items.find(({ id }) => id === busy.id)?.calls24h).toBe(3);
    const list = await browser.open('/admin/api-keys?status=ACTIVE&unused=true&limit=500');
    expect([list.status, list.text.includes(idle.id), list.text.includes(busy.id)]).toEqual([
      200,
      true,
      false,
    ]);
    expect(list.text).toContain('Unused for 90 days');
  });

  it('is of its tenant alone', async () => {
    const { id } = await app.apiKey('VALIDATE_ONLY');
    const other = await app.otherTenant();
    const { browser } = await member(app, undefined, other.tenantId);
    expect((await browser.open(`/admin/api-keys/${id}?tab=limits`)).status).toBe(404);
  });
});
