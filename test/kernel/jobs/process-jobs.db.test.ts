// Jobs that write what waits in the memory of a process: each process runs them for itself (Job.everyProcess).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '#kernel/capability.ts';
import { createScheduler, type Run } from '#kernel/jobs/scheduler.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';
import { runDue } from '../../support/jobs.ts';

let t: TestContext;
beforeEach(async () => {
  t = await openTestContext();
});
afterEach(() => t.close());

const rowOf = (name: string) => t.database.db.knex('scheduled_jobs').where({ name }).first();

/** A process with one such job, and how often it ran there. */
async function process(owner: string, run: Job['run'] = async () => ({})) {
  const runs: string[] = [];
  const told: Run[] = [];
  const job: Job = {
    name: 'flush',
    description: 'flush',
    everySeconds: 10,
    everyProcess: true,
    run: async (ctx) => {
      runs.push(String(ctx.actor.label));
      return run(ctx);
    },
  };
  const scheduler = createScheduler([job], owner, { onRun: (done) => told.push(done) });
  await scheduler.prepare(t.ctx);
  return { scheduler, runs, told };
}

describe('its own timer', () => {
  it('runs in every process an interval after the start and after each end, without the lease', async () => {
    const [one, two] = [await process('one'), await process('two')];
    const tick = async () => {
      for (const { scheduler } of [one, two]) {
        await runDue(scheduler, t.ctx, 0);
        await scheduler.runOwnDue(t.ctx);
      }
      return [one.runs.length, two.runs.length];
    };
    expect(await tick()).toEqual([0, 0]);
    t.clock.advance(9);
    expect(await tick()).toEqual([0, 0]);
    t.clock.advance(1);
    expect(await tick()).toEqual([1, 1]);
    expect(await tick()).toEqual([1, 1]);
    t.clock.advance(10);
    expect(await tick()).toEqual([2, 2]);
    expect([one.runs[0], one.told[0]?.status]).toEqual(['flush', 'ok']);
    expect(await rowOf('flush')).toMatchObject({ fence: 0, lock_owner: null, last_status: 'ok' });
  });

  it('is listed like any other job', async () => {
    const { scheduler } = await process('one', async () => ({ written: 3 }));
    await scheduler.run(t.ctx, 'flush', true);
    const [listed] = await scheduler.list(t.ctx);
    const next = new Date(t.clock.epochMs() + 10_000).toISOString();
    expect(listed).toMatchObject({
      name: 'flush',
      schedule: 'every 10 s',
      enabled: true,
      lastStatus: 'ok',
      lastRunAt: t.ctx.now(),
      nextRunAt: next,
      running: false,
    });
  });

  it('goes on at once after the clock was set back, and then an interval later', async () => {
    const { scheduler, runs } = await process('one');
    await scheduler.runOwnDue(t.ctx);
    t.clock.advance(-3600);
    await scheduler.runOwnDue(t.ctx);
    await scheduler.runOwnDue(t.ctx);
    expect(runs).toHaveLength(1);
    t.clock.advance(10);
    await scheduler.runOwnDue(t.ctx);
    expect(runs).toHaveLength(2);
  });

  it('rests while it is switched off', async () => {
    const { scheduler, runs } = await process('one');
    await scheduler.runOwnDue(t.ctx);
    await t.database.transaction(({ knex }) => knex('scheduled_jobs').update({ enabled: false }));
    t.clock.advance(10);
    await scheduler.runOwnDue(t.ctx);
    expect(runs).toEqual([]);
  });
});

describe('when it is asked for', () => {
  it('run and start begin after a run that is under way, and write what has come meanwhile', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let waiting = 1;
    const begun = Promise.withResolvers<void>();
    const { scheduler, told } = await process('one', async () => {
      const written = waiting;
      waiting = 0;
      begun.resolve();
      await held;
      return { written };
    });
    const first = scheduler.run(t.ctx, 'flush', true);
    // Each asks the database before it takes its place: whoever is to be first must have begun.
    await begun.promise;
    await scheduler.start(t.ctx, 'flush');
    waiting = 5;
    const last = scheduler.run(t.ctx, 'flush', false);
    release();
    expect((await first).result).toEqual({ written: 1 });
    await last;
    expect(told.map(({ result }) => result?.written)).toEqual([1, 5, 0]);
  });

  it('a failure is noted, told, and keeps nobody from the next run', async () => {
    let fails = true;
    const { scheduler, told } = await process('one', async () => {
      if (fails) throw new Error('no disk');
      return { written: 1 };
    });
    await scheduler.runOwn(t.ctx);
    expect(told[0]).toMatchObject({ status: 'failed', error: 'no disk' });
    expect(await rowOf('flush')).toMatchObject({ last_status: 'failed', last_error: 'no disk' });
    fails = false;
    expect((await scheduler.run(t.ctx, 'flush', true)).status).toBe('ok');
    expect(await rowOf('flush')).toMatchObject({ last_status: 'ok', last_error: null });
  });

  it('the run at the end of a process takes only its own jobs', async () => {
    let others = 0;
    const leased: Job = {
      name: 'leased',
      description: '',
      everySeconds: 10,
      run: async () => ({ n: ++others }),
    };
    await createScheduler([leased], 'one').runOwn(t.ctx);
    expect(others).toBe(0);
  });
});
