// Jobs after a time in which no server ran: while nothing answered, no machine could say that it lives (M20).
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Job } from '#kernel/capability.ts';
import { createScheduler } from '#kernel/jobs/scheduler.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';
import { job, runDue } from '../../support/jobs.ts';

let t: TestContext;
beforeEach(async () => {
  t = await openTestContext();
});
afterEach(() => t.close());

const cull = (run: Job['run'], waitsAfterClockStep: boolean): Job =>
  job('cull', run, { waitsAfterClockStep });

it.each([
  ['one that ends things by time waits an interval', true, 60],
  ['another one runs at once', false, 0],
])('after a time without a server %s', async (_name, waitsAfterClockStep, waits) => {
  let runs = 0;
  const jobs = [cull(async () => ({ runs: ++runs }), waitsAfterClockStep)];
  const before = createScheduler(jobs, 'before');
  await before.prepare(t.ctx);
  await runDue(before, t.ctx, 0);
  t.clock.advance(60 + 61);
  const after = createScheduler(jobs, 'after');
  await after.prepare(t.ctx);
  await runDue(after, t.ctx, 0);
  expect(runs).toBe(waits === 0 ? 2 : 1);
  t.clock.advance(60);
  await runDue(after, t.ctx, 0);
  expect(runs).toBe(waits === 0 ? 3 : 2);
});

it('a restart within a minute delays nothing', async () => {
  let runs = 0;
  const jobs = [cull(async () => ({ runs: ++runs }), true)];
  const before = createScheduler(jobs, 'before');
  await before.prepare(t.ctx);
  await runDue(before, t.ctx, 0);
  t.clock.advance(60 + 59);
  const after = createScheduler(jobs, 'after');
  await after.prepare(t.ctx);
  await runDue(after, t.ctx, 0);
  expect(runs).toBe(2);
});
