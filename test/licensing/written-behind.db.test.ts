// The job stats-flush: one table that refuses does not keep the others from being written, and the run is a failure.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { failingCtx } from '../support/failing-ctx.ts';
import { flushEverything } from '../support/jobs.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it('tries each of its writers, fails with the first failure, and writes the rest at its next run', async () => {
  const { secret } = await app.apiKey('VALIDATE_ONLY');
  const { key } = await app.license();
  const refused = await app.post('/api/v1/license/validate', { key, machineId: 'machine-0001' }, secret);
  expect(refused.body.valid).toBe(false);
  const rows = (table: string) => app.instance.database.db.knex(table);
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  const firstFails = failingCtx(app.ctx, (number) => (number === 1 ? away : null));
  await expect(flushEverything(firstFails)).rejects.toBe(away);
  expect([await rows('license_requests'), await rows('license_stats')]).toMatchObject([[], [{ denials: 1 }]]);
  expect(await flushEverything(app.ctx)).toEqual({
    refusals: 0,
    releases: 0,
    hits: 0,
    requests: 1,
    licenses: 0,
    dropped: 0,
    dailyTotals: 0,
    keyHours: 0,
    requestHours: 0,
  });
  expect(await rows('license_requests')).toMatchObject([{ code: 'NOT_ACTIVATED' }]);
});
