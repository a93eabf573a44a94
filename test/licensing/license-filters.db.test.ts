// Filters of license lists that ask for machines look at few licenses, and find the same ones (decision 0060).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { markActivated } from '#licensing/licenses/licenses/marks/job.ts';
import { unmark } from '#licensing/licenses/licenses/marks/repository.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { importLicenses } from '#licensing/moving/portability/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { runJob } from '../support/jobs.ts';

const DAY = 86_400;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

type Filters = Record<string, unknown>;
const found = async (filters: Filters, asked: { q?: string; sort?: string } = {}, ctx = app.ctx) => {
  const { items, total } = await licenses.licenseRows.page(ctx, { ...asked, filters, offset: 0, limit: 50 });
  expect(items.length).toBe(total);
  return items.map(({ id }) => id);
};
const activate = (licenseKey: string, machineId: string) =>
  machines.activate(app.ctx, { licenseKey, machineId });
const write = (work: (knex: typeof app.ctx.db.knex) => PromiseLike<unknown>) =>
  app.instance.database.transaction(async ({ knex }) => void (await work(knex)));
const marked = async (productId: string) =>
  (
    await app.ctx.db.knex('licenses').where({ product_id: productId, known_activated: true }).select('id')
  ).map(({ id }) => id);

/** Each license is on one side, whatever else is asked. */
async function sides(productId: string, flag: string, asked: Filters = {}) {
  const of = (wanted: boolean) => found({ productId: [productId], [flag]: wanted, ...asked }, { sort: 'id' });
  return { yes: await of(true), no: await of(false) };
}

it('who was never activated is known before the marks, with them, and when the last activation is gone', async () => {
  const { id: productId } = await app.product();
  const make = () => app.license({ productId, maxActivations: 5 });
  const [live, over, never] = [await make(), await make(), await make()];
  await activate(live.key, 'machine-0001');
  await activate(over.key, 'machine-0001');
  await machines.deactivate(app.ctx, { licenseKey: over.key, machineId: 'machine-0001' });
  const expected = { yes: [never.id], no: [live.id, over.id] };
  expect(await sides(productId, 'neverActivated')).toEqual(expected);
  expect(await marked(productId)).toEqual([]);
  expect(await runJob(app.ctx, 'license-marks')).toEqual({ marked: 2 });
  expect((await marked(productId)).toSorted()).toEqual(expected.no);
  expect(await sides(productId, 'neverActivated')).toEqual(expected);
  expect(await sides(productId, 'neverActivated', { status: ['ACTIVE'], type: ['PERPETUAL'] })).toEqual(
    expected,
  );
  expect(await app.changesBy(() => runJob(app.ctx, 'license-marks'))).toEqual({
    result: { marked: 0 },
    changes: nothing,
  });
  await activate(never.key, 'machine-0009');
  expect(await sides(productId, 'neverActivated')).toEqual({ yes: [], no: [live.id, over.id, never.id] });
  app.clock.advance(1000 * DAY);
  expect(await runJob(app.ctx, 'retention')).toMatchObject({ activations: 1 });
  expect(await marked(productId)).toEqual([live.id]);
  expect(await sides(productId, 'neverActivated')).toEqual({ yes: [over.id], no: [live.id, never.id] });
});

it('a mark is taken only where no activation is left', async () => {
  const { id: productId } = await app.product();
  const [live, bare] = [await app.license({ productId }), await app.license({ productId })];
  await activate(live.key, 'machine-0001');
  await write((knex) => knex('licenses').where({ product_id: productId }).update({ known_activated: true }));
  await app.ctx.tx((ctx) => unmark(ctx, [live.id, bare.id]));
  expect(await marked(productId)).toEqual([live.id]);
});

it('a walk over more licenses than one step holds marks the last one too', async () => {
  const { id: productId } = await app.product();
  const { id } = await app.license({ productId });
  const [row] = await app.ctx.db.knex('licenses').where({ id });
  const copies = Array.from({ length: 600 }, () => ({ ...row, id: app.ctx.newId('lic') }));
  for (let from = 0; from < copies.length; from += 20)
    await write((knex) => knex('licenses').insert(copies.slice(from, from + 20)));
  const last = await app.license({ productId });
  await activate(last.key, 'machine-0001');
  await markActivated(app.ctx);
  expect(await marked(productId)).toEqual([last.id]);
});

it('over-used are those whose limit was lowered below their machines, as long as they have them', async () => {
  const { id: productId } = await app.product();
  const make = (extra = {}) => app.license({ productId, maxActivations: 3, ...extra });
  const [lowered, fitting, untouched, leased] = [
    await make(),
    await make(),
    await make(),
    await make({ type: 'FLOATING' }),
  ];
  for (const { key } of [lowered, fitting, untouched, leased])
    for (const machineId of ['machine-0001', 'machine-0002']) await activate(key, machineId);
  const limit = (id: string, maxActivations: number) => licenses.update(app.ctx, id, { maxActivations });
  await limit(lowered.id, 1);
  await limit(fitting.id, 2);
  await limit(leased.id, 1);
  const none = [fitting.id, untouched.id];
  const over = () => sides(productId, 'overUsed');
  expect(await over()).toEqual({ yes: [lowered.id, leased.id], no: none });
  expect(await sides(productId, 'overUsed', { status: ['ACTIVE'] })).toEqual({
    yes: [lowered.id, leased.id],
    no: none,
  });
  expect(await found({ overUsed: true }, {}, await app.otherTenant())).toEqual([]);
  app.clock.advance(DAY);
  expect(await over()).toEqual({ yes: [lowered.id], no: [...none, leased.id] });
  await limit(lowered.id, 2);
  expect((await over()).yes).toEqual([]);
  await limit(lowered.id, 1);
  await machines.deactivate(app.ctx, { licenseKey: lowered.key, machineId: 'machine-0002' });
  expect(await over()).toEqual({ yes: [], no: [lowered.id, ...none, leased.id] });
});

it('over-used is also what an import brought more machines for than it allows', async () => {
  const { id: productId } = await app.product();
  const text = 'key,email,maxActivations,machines\nwide-key-0001,a@x.test,1,machine-0001 machine-0002\n';
  const bytes = async function* () {
    yield Buffer.from(`${text}fine-key-0001,b@x.test,2,machine-0001 machine-0002\n`);
  };
  const asked = {
    source: 'csv',
    product: productId,
    map: new Map(),
    dryRun: false,
    fireEvents: false,
  } as const;
  expect(await importLicenses(app.ctx, bytes(), asked)).toMatchObject({ created: 2 });
  const idOf = async (key: string) => (await licenses.getByKey(app.ctx, key)).id;
  const [wide, fine] = [await idOf('wide-key-0001'), await idOf('fine-key-0001')];
  expect(await sides(productId, 'overUsed')).toEqual({ yes: [wide], no: [fine] });
});

it('the next end comes first, also where one status alone is asked for', async () => {
  const { id: productId } = await app.product();
  const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();
  const make = (days: number) =>
    app.license({ productId, type: 'SUBSCRIPTION', validUntil: inDays(days), maxActivations: 1 });
  const [late, soon, past, suspended] = [await make(20), await make(10), await make(1), await make(5)];
  const endless = await app.license({ productId });
  await licenses.suspend(app.ctx, suspended.id, { reason: 'ADMIN', note: null });
  app.clock.advance(2 * DAY);
  const of = (filters: Filters, sort: string) => found({ productId: [productId], ...filters }, { sort });
  const month = 30 * DAY;
  expect(await of({ status: ['ACTIVE'], expiring: month }, 'validUntil')).toEqual([soon.id, late.id]);
  expect(await of({ status: ['ACTIVE'], expiring: month }, '-validUntil')).toEqual([late.id, soon.id]);
  expect(await of({ status: ['ACTIVE'] }, 'validUntil')).toEqual([soon.id, late.id, endless.id]);
  expect(await of({ status: ['EXPIRED'] }, 'validUntil')).toEqual([past.id]);
  expect(await of({ status: ['ACTIVE', 'SUSPENDED'], expiring: month }, 'validUntil')).toEqual([
    suspended.id,
    soon.id,
    late.id,
  ]);
  expect(await of({ expiringBefore: inDays(9) }, 'validUntil')).toEqual([soon.id]);
});

it('a part of a key is looked for in keys; what no key holds is found in names and addresses all the same', async () => {
  const { id: productId } = await app.product();
  const { id, key } = await app.license({ productId, customerEmail: 'jo.part@find.test' });
  await machines.activate(app.ctx, {
    licenseKey: key,
    machineId: 'machine-0077',
    machineName: 'Desk of Jo (2)',
  });
  const prefix = key.split('-').slice(0, 2).join('-').toLowerCase();
  for (const q of [prefix.slice(1), 'jo.part@', 'desk of', 'jo (2)', 'FIND.test'])
    expect(await found({ productId: [productId] }, { q })).toEqual([id]);
  expect(await found({ productId: [productId] }, { q: `${prefix} ` })).toEqual([]);
});
