// Two processes that write their counters of one license at the same moment (C9; licensing 4.5, stats-flush).
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { flushStatistics, observe } from '#licensing/insight/statistics/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { processesOf } from '../support/processes.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const MACHINES = 1000;

it('do not wait for each other in a circle, in whatever order each has seen the machines', async () => {
  const { id: licenseId } = await app.license();
  const numbers = Array.from({ length: MACHINES }, (_, index) => index);
  const processes = processesOf(app, 2).map((ctx, place) => {
    const origin = { ...app.ctx.origin, ip: `192.0.${place}.1` };
    return ctx.with({ origin });
  });
  for (const [place, ctx] of processes.entries()) {
    for (const number of place === 0 ? numbers : numbers.toReversed()) {
      // Neither a validation nor a refusal, from different networks: no row is written first by both, at which one would
      // wait for the other.
      const asked = { action: 'checkout', allowed: true, code: 'VALID', repeat: false, now: ctx.now() };
      observe(ctx, { ...asked, licenseId, machineId: `machine-${number}` });
    }
  }
  const { database } = app.instance;
  const transaction = database.transaction.bind(database);
  let attempts = 0;
  const spy = vi.spyOn(database, 'transaction').mockImplementation((work) =>
    transaction((db) => {
      attempts += 1;
      return work(db);
    }),
  );
  await Promise.all(processes.map((ctx) => flushStatistics(ctx)));
  spy.mockRestore();
  // A circle is broken by the database, and the loser begins anew.
  expect(attempts).toBe(processes.length);
  const tried = await database.db
    .knex('license_observations')
    .where({ license_id: licenseId, kind: 'MACHINE_TRIED' });
  expect(tried.map(({ count }) => Number(count))).toEqual(numbers.map(() => 2));
});
