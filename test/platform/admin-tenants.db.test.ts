// Tenants over JSON: who sees which, and who may change them (licensing 4.2, admin.md 6.3).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as tenants from '#platform/tenants/index.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let everywhere: MadeKey;
let ofOne: MadeKey;
let other: tenants.Tenant;
beforeAll(async () => {
  app = await startApp();
  everywhere = await app.adminToken('owner', { isInstanceWide: true });
  ofOne = await app.adminToken('owner');
  other = await tenants.create(app.ctx, { slug: 'other', name: 'Other', hostnames: ['keys.other.example'] });
});
afterAll(() => app.close());

const post = (path: string, body: object = {}, key = everywhere) =>
  app.admin(path, key, { method: 'POST', body });

it('staff of one tenant sees that one and cannot change it; the others are unknown', async () => {
  const { result, changes } = await app.changesBy(async () => ({
    list: await app.admin('/tenants', ofOne),
    csv: await app.admin('/tenants/export', ofOne),
    theirs: await app.admin(`/tenants/${other.slug}`, ofOne),
    suspend: await post(`/tenants/${other.id}/suspend`, {}, ofOne),
    own: await app.admin('/tenants/default', ofOne, { method: 'PATCH', body: { name: 'Mine' } }),
    make: await post('/tenants', { slug: 'mine', name: 'Mine' }, ofOne),
  }));
  const { list, csv, ...refused } = result;
  expect((list.body.items as { slug: string }[] | undefined)?.map(({ slug }) => slug)).toEqual(['default']);
  expect(csv.text.trim().split('\n')).toHaveLength(2);
  expect(Object.values(refused).map(({ status }) => status)).toEqual([404, 404, 403, 403]);
  expect(changes).toEqual({ events: ['EXPORTED'], rows: {} });
});

it('suspend and resume answer the tenant; reinstate is the other name of resume', async () => {
  const answers = [
    await post(`/tenants/${other.slug}/suspend`, { note: 'unpaid' }),
    await post(`/tenants/${other.id}/resume`),
    await post(`/tenants/${other.slug}/suspend`),
    await post(`/tenants/${other.slug}/reinstate`),
  ];
  expect(answers.map(({ body }) => (body.tenant as { status?: string } | undefined)?.status)).toEqual([
    'SUSPENDED',
    'ACTIVE',
    'SUSPENDED',
    'ACTIVE',
  ]);
  expect(await post('/tenants/default/suspend')).toMatchObject({ status: 409 });
});

it('a bulk run tells of each tenant what became of it', async () => {
  const ids = [other.id, tenants.DEFAULT_TENANT_ID, 'ten_none'];
  const { body } = await post('/tenants/bulk', { action: 'suspend', ids, dryRun: true });
  expect(body.results).toEqual([
    { id: other.id, success: true },
    { id: tenants.DEFAULT_TENANT_ID, success: false, error: expect.objectContaining({ code: 'CONFLICT' }) },
    { id: 'ten_none', success: false, error: expect.objectContaining({ code: 'NOT_FOUND' }) },
  ]);
  expect((await tenants.get(app.ctx, other.id)).status).toBe('ACTIVE');
});

it('the default key format must be the tenant’s own', async () => {
  const { body } = await post('/key-formats', { name: 'theirs', prefix: 'ED', segments: 5 });
  const { id } = body.keyFormat as unknown as { id: string };
  const patch = { method: 'PATCH', body: { defaultKeyFormatId: id } };
  expect(await app.admin(`/tenants/${other.id}`, everywhere, patch)).toMatchObject({ status: 404 });
  expect(await app.admin('/tenants/default', everywhere, patch)).toMatchObject({ status: 200 });
});
