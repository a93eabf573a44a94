// Figures that charts of the panel read: requests by hour and duration, floating seats by hour (admin.md 8).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { boundOf } from '#licensing/insight/requests/hours/durations.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { failingCtx } from '../support/failing-ctx.ts';
import { flushEverything, runJob } from '../support/jobs.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const rows = (table: string): Promise<Record<string, unknown>[]> =>
  app.instance.database.db.knex(table).select('*');

it('requests are counted by hour and duration, those refused and failed among them, and nothing is counted twice', async () => {
  const { secret } = await app.apiKey('VALIDATE_ONLY');
  const { key } = await app.license();
  const ask = (body: object, as = secret) => app.post('/api/v1/license/validate', body, as);
  expect((await ask({ key, machineId: 'machine-0001' })).status).toBe(200);
  expect((await ask({})).status).toBe(400);
  expect((await ask({ key, machineId: 'machine-0001' }, 'ak_unknown')).status).toBe(401);
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  await expect(flushEverything(failingCtx(app.ctx, () => away))).rejects.toBe(away);
  expect(await rows('license_request_hours')).toEqual([]);
  await flushEverything(app.ctx);
  await ask({});
  await flushEverything(app.ctx);
  await flushEverything(app.ctx);
  const found = await rows('license_request_hours');
  const hour = `${app.ctx.now().slice(0, 13)}:00:00.000Z`;
  expect(new Set(found.map((row) => `${row.tenant_id} ${row.hour}`))).toEqual(
    new Set([`${app.ctx.tenantId} ${hour}`]),
  );
  const sum = (name: string) => found.reduce((all, row) => all + Number(row[name]), 0);
  expect([sum('requests'), sum('refused'), sum('failed')]).toEqual([4, 3, 0]);
});

it.each([
  [0, 1],
  [1, 1],
  [1.2, 2],
  [15, 15],
  [15.01, 20],
  [9999, 10_000],
  [1e9, 3_600_000],
])('a request of %d ms is counted below %d ms', (ms, bound) => {
  expect(boundOf(ms)).toBe(bound);
});

it('the most floating seats in use of each hour are kept, and how many there are', async () => {
  const { id: productId } = await app.product();
  const { secret } = await app.apiKey('VALIDATE_ONLY');
  const { key } = await app.license({ productId, type: 'FLOATING', maxActivations: 5 });
  await app.license({ productId, type: 'FLOATING', maxActivations: 3 });
  await app.license({ productId, maxActivations: 100 });
  const hour = `${app.ctx.now().slice(0, 13)}:00:00.000Z`;
  const seatsOf = () => app.instance.database.db.knex('license_seat_hours').where({ product_id: productId });
  const use = (path: string, machineId: string) =>
    app.post(`/api/v1/license/${path}`, { key, machineId }, secret);
  for (const machine of ['machine-0001', 'machine-0002'])
    expect((await use('checkout', machine)).status).toBe(200);
  expect((await runJob(app.ctx, 'seat-count')).products).toBeGreaterThanOrEqual(1);
  expect(await seatsOf()).toMatchObject([{ hour, used: 2, seats: 8 }]);
  expect((await use('checkin', 'machine-0001')).status).toBe(200);
  await runJob(app.ctx, 'seat-count');
  expect(await seatsOf()).toMatchObject([{ hour, used: 2, seats: 8 }]);
  app.clock.advance(3600);
  await runJob(app.ctx, 'seat-count');
  // Its lease has run out meanwhile, swept or not.
  expect((await seatsOf()).map(({ used }) => Number(used)).sort()).toEqual([0, 2]);
});

it('machines are counted by version, each day anew, the rarer versions together', async () => {
  const { id: productId } = await app.product();
  const { secret } = await app.apiKey('VALIDATE_ONLY');
  const { key } = await app.license({ productId, maxActivations: 100 });
  const activate = (at: number, appVersion: string | undefined) =>
    app.post(
      '/api/v1/license/activate',
      { key, machineId: `machine-${1000 + at}`, ...(appVersion !== undefined && { appVersion }) },
      secret,
    );
  for (const [at, version] of ['1.0.0', '1.0.0', '*', undefined].entries())
    expect((await activate(at, version)).status).toBe(200);
  const days = async () =>
    (await app.instance.database.db.knex('license_version_days').where({ product_id: productId }))
      .map(({ day, version, machines }) => `${day} ${version}: ${machines}`)
      .sort();
  await runJob(app.ctx, 'version-count');
  const day = app.ctx.now().slice(0, 10);
  expect(await days()).toEqual([`${day} *: 1`, `${day} 1.0.0: 2`, `${day} : 1`].sort());
  for (let at = 10; at < 35; at += 1) expect((await activate(at, `2.0.${at}`)).status).toBe(200);
  await runJob(app.ctx, 'version-count');
  const counted = await days();
  expect(counted).toHaveLength(21);
  expect(counted).toContain(`${day} 1.0.0: 2`);
  // 27 versions and one that calls itself as the rest is called: 29 machines.
  expect(counted.reduce((sum, row) => sum + Number(row.split(': ')[1]), 0)).toBe(29);
});
