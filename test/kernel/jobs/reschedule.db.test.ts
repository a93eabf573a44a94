// Jobs that an operator has given a schedule: due at its times, whatever the clock or the zone did meanwhile (M20).
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createScheduler } from '#kernel/jobs/scheduler.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';
import { job, runDue } from '../../support/jobs.ts';
import { codeOf } from '../../support/refusal.ts';

const HOUR = 3600;
let t: TestContext;
let runs: number;
// 2026-03-01T12:00:00.000Z, a Sunday.
beforeEach(async () => {
  t = await openTestContext();
  runs = 0;
});
afterEach(() => t.close());

const hourly = job('hourly', async () => ({ runs: ++runs }), { everySeconds: HOUR });
const often = job('often', async () => ({ n: 1 }));

/** A process with both jobs, which have just run. */
async function process(timeZone = 'UTC') {
  const scheduler = createScheduler([hourly, often], 'one', { timeZone });
  await scheduler.prepare(t.ctx);
  return { scheduler, tick: () => runDue(scheduler, t.ctx, 0) };
}

it('runs at the times of its schedule, and by its interval again when that is taken away', async () => {
  const { scheduler, tick } = await process();
  await tick();
  expect(await scheduler.reschedule(t.ctx, 'hourly', '30 3 * * *')).toMatchObject({
    schedule: '30 3 * * * (UTC)',
    nextRunAt: '2026-03-02T03:30:00.000Z',
  });
  t.clock.advance(15.5 * HOUR - 1);
  await tick();
  expect(runs).toBe(1);
  t.clock.advance(1);
  await tick();
  await tick();
  expect(runs).toBe(2);
  const [listed] = (await scheduler.list(t.ctx)).filter(({ name }) => name === 'hourly');
  expect(listed?.nextRunAt).toBe('2026-03-03T03:30:00.000Z');
  expect(await scheduler.reschedule(t.ctx, 'hourly', null)).toMatchObject({
    schedule: 'every 3600 s',
    nextRunAt: '2026-03-02T04:30:00.000Z',
  });
});

it('a clock that is set back, or another time zone, puts the next run right instead of running at once', async () => {
  const first = await process();
  await first.tick();
  await first.scheduler.reschedule(t.ctx, 'hourly', '0 4 1 * *');
  t.clock.advance(-31 * 24 * HOUR);
  await first.tick();
  const nextOf = async (scheduler = first.scheduler) =>
    (await scheduler.list(t.ctx)).find(({ name }) => name === 'hourly')?.nextRunAt;
  expect([runs, await nextOf()]).toEqual([1, '2026-02-01T04:00:00.000Z']);
  const { scheduler, tick } = await process('Asia/Tokyo');
  await tick();
  expect([runs, await nextOf(scheduler)]).toEqual([1, '2026-01-31T19:00:00.000Z']);
});

it('a job that keeps a promise of minutes takes none; an unknown one and a wrong expression are refused', async () => {
  const { scheduler } = await process();
  expect(await codeOf(scheduler.reschedule(t.ctx, 'often', '30 3 * * *'))).toBe('CONFLICT');
  expect(await codeOf(scheduler.reschedule(t.ctx, 'other', '30 3 * * *'))).toBe('NOT_FOUND');
  expect(await codeOf(scheduler.reschedule(t.ctx, 'hourly', '30 25 * * *'))).toBe('VALIDATION_ERROR');
  expect((await scheduler.list(t.ctx)).map(({ schedule }) => schedule)).toEqual([
    'every 3600 s',
    'every 60 s',
  ]);
});
