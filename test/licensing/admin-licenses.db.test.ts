// What staff does with licenses over JSON beyond what every operation owes its caller (licensing 4.2, admin 5.5).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as abuse from '#licensing/insight/abuse/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let owner: MadeKey;
beforeAll(async () => {
  app = await startApp();
  owner = await app.adminToken('owner');
});
afterAll(() => app.close());

const ask = (method: string, path: string, body?: object, token = owner) =>
  app.admin(path, token, { method, ...(body && { body }) });
const found = async (query: string) =>
  (await ask('GET', `/licenses?${query}`)).body.items as unknown as { id: string }[];
const ids = async (query: string) => (await found(query)).map(({ id }) => id).toSorted();

it('an idempotency key answers with the license that it made; the key is told once more, and audited', async () => {
  const { slug } = await app.product();
  const body = { productId: slug, customerEmail: 'idem@x.test', idempotencyKey: 'once', note: 'by phone' };
  const first = await ask('POST', '/licenses', body);
  const again = await ask('POST', '/licenses', { ...body, tier: 'BUSINESS' });
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toMatchObject({ idempotent: true, idempotentMismatch: true, key: first.body.key });
  const license = first.body.license as unknown as { id: string };
  expect(again.body.license).toMatchObject({ id: license.id, idempotencyKey: 'once', source: 'ADMIN' });
  const told = (await app.eventsOf(license.id)).map(({ type }) => type);
  expect(told).toEqual(['LICENSE_CREATED', 'LICENSE_KEY_REVEALED', 'LICENSE_KEY_REVEALED']);
  const rows = await app.ctx.db.knex('audit_log').where({ target_id: license.id }).select('action', 'note');
  expect(rows.find(({ action }) => action === 'LICENSE_CREATED')?.note).toBe('by phone');
  const hidden = await ask('POST', '/licenses', {
    productId: slug,
    customerEmail: 'b@x.test',
    withKey: false,
  });
  expect(hidden.body.key).toBeNull();
});

it('many get the same tier, features and tags; one that is unknown costs only itself', async () => {
  const one = await app.license({ features: { a: 1 }, metadata: { tags: ['old'], plan: 'pro' } });
  const two = await app.license();
  const unknown = 'lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV';
  const params = { tier: 'BUSINESS', addFeatures: { b: 2 }, addTags: ['vip'], removeTags: ['old'] };
  const run = await ask('POST', '/licenses/bulk', { action: 'set', ids: [one.id, unknown, two.id], params });
  expect(run.body.summary).toEqual({ total: 3, succeeded: 2, failed: 1 });
  const { body } = await ask('GET', `/licenses/${one.id}`);
  expect(body.license).toMatchObject({
    tier: 'BUSINESS',
    features: { a: 1, b: 2 },
    metadata: { tags: ['vip'], plan: 'pro' },
  });
  const nothing = await ask('POST', '/licenses/bulk', { action: 'set', ids: [one.id], params: {} });
  expect([nothing.status, nothing.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
});

it('what names one thing finds that thing alone, and parts of names find the rest', async () => {
  const ann = await app.license({ customerEmail: 'ann@find.test', orderId: 'ann' });
  const joann = await app.license({ customerEmail: 'joann@find.test', metadata: { seat: 'x=1' } });
  expect(await ids('q=ann%40find.test')).toEqual([ann.id]);
  expect(await ids('q=Ann%40FIND.test')).toEqual([ann.id]);
  expect(await ids('q=ann')).toEqual([ann.id]);
  expect(await ids('q=nn%40find')).toEqual([ann.id, joann.id].toSorted());
  expect(await ids(`q=${joann.key.toLowerCase()}`)).toEqual([joann.id]);
  expect(await ids(`q=${joann.key.split('-').slice(0, 2).join('-').toLowerCase()}`)).toContain(joann.id);
  expect(await ids('q=metadata.seat%3Dx%3D1')).toEqual([joann.id]);
  expect(await ids('q=%25find%25')).toEqual([]);
});

it('lists those in the trash, flagged, never activated and over-used ones', async () => {
  const { id: productId } = await app.product();
  const make = (extra = {}) => app.license({ productId, ...extra });
  const [trashed, flagged, active] = [await make(), await make(), await make({ maxActivations: 2 })];
  await licenses.trash(app.ctx, trashed.id, null);
  await abuse.flag(app.ctx, flagged.id, 'odd');
  for (const machineId of ['machine-0001', 'machine-0002'])
    await machines.activate(app.ctx, { licenseKey: active.key, machineId });
  await licenses.update(app.ctx, active.id, { maxActivations: 1 });
  const of = (query: string) => ids(`productId=${productId}&${query}`);
  expect(await of('deleted=true')).toEqual([trashed.id]);
  expect(await of('flagged=true')).toEqual([flagged.id]);
  expect(await of('neverActivated=true')).toEqual([flagged.id]);
  expect(await of('neverActivated=false&overUsed=true&status=ACTIVE,REVOKED')).toEqual([active.id]);
  const [shown] = await found(`productId=${productId}&flagged=true`);
  expect(shown).toMatchObject({ openFlags: [{ rule: 'MANUAL' }] });
  const restored = await ask('POST', `/licenses/${trashed.id}/restore`);
  expect(restored.body.license).toMatchObject({ id: trashed.id, status: 'ACTIVE' });
});

it('whole keys are shown to who may see secrets, and each timeline tells it', async () => {
  const { id, key } = await app.license();
  const support = await app.adminToken('support');
  const body = { ids: [id], reason: 'moves' };
  expect((await ask('POST', '/licenses/reveal-keys', body, support)).status).toBe(403);
  expect((await ask('POST', '/licenses/reveal-keys', body)).body.keys).toEqual([{ id, key }]);
  expect((await app.eventsOf(id)).at(-1)).toMatchObject({
    type: 'LICENSE_KEY_REVEALED',
    data: { reason: 'moves' },
  });
  const unknown = await ask('POST', '/licenses/find', { key: 'APP-0000-0000-0000-0000' });
  expect([unknown.status, unknown.body.error?.code]).toEqual([404, 'NOT_FOUND']);
});

it('a rehearsal answers what would be, and leaves everything as it was', async () => {
  const { id } = await app.license();
  const { result, changes } = await app.changesBy(() =>
    app.admin(`/licenses/${id}/revoke`, owner, { method: 'POST', headers: { 'Dry-Run': 'true' } }),
  );
  expect(result.body.license).toMatchObject({ id, status: 'REVOKED' });
  expect(changes).toMatchObject({ events: [] });
});
