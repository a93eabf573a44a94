// What is kept of the runs of jobs, and jobs that somebody paused (decision 0053).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '#kernel/capability.ts';
import { createScheduler } from '#kernel/jobs/scheduler.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';
import { heldJob, job, runDue } from '../../support/jobs.ts';
import { codeOf } from '../../support/refusal.ts';
import { eventually } from '../../support/server-process.ts';

let t: TestContext;
beforeEach(async () => {
  t = await openTestContext();
});
afterEach(() => t.close());

const kept = () => t.database.db.knex('job_runs').orderBy('started_at').orderBy('id');
const asked = () => t.ctx.with({ actor: { kind: 'cli', id: null, label: 'ann' } });

async function schedulerOf(...jobs: Job[]) {
  const scheduler = createScheduler(jobs, 'one');
  await scheduler.prepare(t.ctx);
  return scheduler;
}

/** Every job once, and a minute later. */
async function pass(scheduler: Awaited<ReturnType<typeof schedulerOf>>): Promise<void> {
  await runDue(scheduler, t.ctx, 0);
  t.clock.advance(60);
}

describe('the history of a job', () => {
  it('holds runs that changed something, failed or were asked for, and all of a job that runs seldom', async () => {
    let count = 0;
    const scheduler = await schedulerOf(
      job('idle', async () => ({ n: 0 })),
      job('busy', async () => ({ n: count++ })),
      job('seldom', async () => ({ n: 0 }), { everySeconds: 3600 }),
      job('fails', async () => {
        throw new Error('x'.repeat(3000));
      }),
    );
    await pass(scheduler);
    await pass(scheduler);
    await scheduler.run(asked(), 'idle', true);
    const rows = (await kept()).map(({ job, status, started_by }) => [job, status, started_by]);
    expect(rows.toSorted()).toEqual([
      ['busy', 'ok', null],
      ['fails', 'failed', null],
      ['fails', 'failed', null],
      ['idle', 'ok', 'cli:ann'],
      ['seldom', 'ok', null],
    ]);
    const failed = (await kept()).find(({ status }) => status === 'failed');
    expect(failed?.error).toHaveLength(2000);
    expect(failed?.result).toBeNull();
  });

  it('ends at the newest 200 of each outcome', async () => {
    let isBroken = false;
    const flips = job('flips', async () => {
      if (isBroken) throw new Error('no luck');
      return { n: 1 };
    });
    const scheduler = await schedulerOf(
      flips,
      job('other', async () => ({ n: 1 })),
    );
    await pass(scheduler);
    isBroken = true;
    for (let n = 0; n < 205; n++) await pass(scheduler);
    const rows = await kept();
    const count = (name: string, status: string) =>
      rows.filter((row) => row.job === name && row.status === status).length;
    expect([count('flips', 'ok'), count('flips', 'failed'), count('other', 'ok')]).toEqual([1, 200, 200]);
    expect(rows.at(-1)?.started_at).toBe(new Date(t.clock.epochMs() - 60_000).toISOString());
  });

  it('a run that was asked for tells who asked, and is no start when it is refused', async () => {
    const long = heldJob('long');
    const [one, two] = [await schedulerOf(long.held), await schedulerOf(long.held)];
    const first = one.run(asked(), 'long', false);
    await eventually(() => long.runs());
    expect(await codeOf(two.run(asked(), 'long', false))).toBe('CONFLICT');
    long.release();
    expect(await first).toMatchObject({ name: 'long', startedBy: 'cli:ann', result: { runs: 1 } });
    expect(await kept()).toMatchObject([{ job: 'long', started_by: 'cli:ann' }]);
  });
});

describe('a paused job', () => {
  it('is not due, whoever listed it before; it runs when it is asked for, and again after it was resumed', async () => {
    let runs = 0;
    const jobs = [job('count', async () => ({ runs: ++runs }))];
    const [one, two] = [await schedulerOf(...jobs), await schedulerOf(...jobs)];
    expect(await two.pause(t.ctx, 'count')).toMatchObject({ state: 'paused', nextRunAt: null });
    await pass(one);
    expect(runs).toBe(0);
    await one.run(t.ctx, 'count', true);
    expect([runs, (await one.list(t.ctx))[0]?.state]).toEqual([1, 'paused']);
    t.clock.advance(60);
    expect(await two.resume(t.ctx, 'count')).toMatchObject({ state: 'ok', pausedAt: null, pausedBy: null });
    await pass(one);
    expect(runs).toBe(2);
  });

  it('says who paused it; one with a schedule waits for its next time', async () => {
    const scheduler = await schedulerOf(job('nightly', async () => ({}), { everySeconds: 3600 }));
    await scheduler.reschedule(t.ctx, 'nightly', '30 3 * * *');
    const pausedAt = t.ctx.now();
    expect(await scheduler.pause(asked(), 'nightly')).toMatchObject({ pausedAt, pausedBy: 'cli:ann' });
    t.clock.advance(86_400);
    expect((await scheduler.resume(t.ctx, 'nightly')).nextRunAt).toMatch(/T03:30:00\.000Z$/);
    await runDue(scheduler, t.ctx, 0);
    expect(await kept()).toEqual([]);
  });

  it('keeps running to the end of its run', async () => {
    const long = heldJob('long');
    const scheduler = await schedulerOf(long.held);
    const running = runDue(scheduler, t.ctx, 0);
    await eventually(() => long.runs());
    expect(await scheduler.pause(t.ctx, 'long')).toMatchObject({ state: 'running', enabled: false });
    long.release();
    await running;
    expect(await scheduler.find(t.ctx, 'long')).toMatchObject({ state: 'paused', lastResult: { runs: 1 } });
  });

  it('is none that each process runs for itself', async () => {
    const scheduler = await schedulerOf(job('flush', async () => ({}), { everyProcess: true }));
    expect(await codeOf(scheduler.pause(t.ctx, 'flush'))).toBe('CONFLICT');
    expect(await codeOf(scheduler.pause(t.ctx, 'nothing'))).toBe('NOT_FOUND');
  });
});
