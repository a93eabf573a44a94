// Jobs over one table, whoever runs them: one runner each, leases, fences, failures, stepped clocks (M19, M20).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createScheduler, type Run, type Scheduler } from '#kernel/jobs/scheduler.ts';
import { createTicker } from '#kernel/jobs/ticker.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';
import { heldJob, job, runDue } from '../../support/jobs.ts';
import { codeOf } from '../../support/refusal.ts';
import { eventually } from '../../support/server-process.ts';

let t: TestContext;
beforeEach(async () => {
  t = await openTestContext();
});
afterEach(() => t.close());

const rowOf = (name: string) => t.database.db.knex('scheduled_jobs').where({ name }).first();
const inSeconds = (seconds: number) => new Date(t.clock.epochMs() + seconds * 1000).toISOString();

describe('what is due', () => {
  it('runs at once when it never ran, and then an interval after its end', async () => {
    let runs = 0;
    const scheduler = createScheduler([job('count', async () => ({ runs: ++runs }))], 'one');
    await scheduler.prepare(t.ctx);
    await runDue(scheduler, t.ctx, 0);
    await runDue(scheduler, t.ctx, 0);
    expect(runs).toBe(1);
    t.clock.advance(59);
    await runDue(scheduler, t.ctx, 0);
    expect(runs).toBe(1);
    t.clock.advance(1);
    await runDue(scheduler, t.ctx, 0);
    expect(runs).toBe(2);
    expect(await scheduler.list(t.ctx)).toEqual([
      {
        name: 'count',
        schedule: 'every 60 s',
        description: 'count',
        state: 'ok',
        enabled: true,
        running: false,
        lastRunAt: t.ctx.now(),
        lastStatus: 'ok',
        lastMs: expect.any(Number),
        lastResult: { runs: 2 },
        lastError: null,
        nextRunAt: inSeconds(60),
        pausedAt: null,
        pausedBy: null,
      },
    ]);
  });

  it('is run by one of two processes, as a job and under its own name', async () => {
    const actors: unknown[] = [];
    const jobs = [job('shared', async (ctx) => ({ n: actors.push(ctx.actor) }))];
    const [one, two] = [createScheduler(jobs, 'one'), createScheduler(jobs, 'two')];
    await Promise.all([one.prepare(t.ctx), two.prepare(t.ctx)]);
    await Promise.all([runDue(one, t.ctx, 0), runDue(two, t.ctx, 0), runDue(one, t.ctx, 0)]);
    expect(actors).toEqual([{ kind: 'job', id: null, label: 'shared' }]);
    expect((await rowOf('shared')).fence).toBe(1);
  });

  it('does not run while it is switched off', async () => {
    let runs = 0;
    const scheduler = createScheduler([job('off', async () => ({ runs: ++runs }))], 'one');
    await scheduler.prepare(t.ctx);
    await t.database.transaction(({ knex }) => knex('scheduled_jobs').update({ enabled: false }));
    await runDue(scheduler, t.ctx, 0);
    expect(runs).toBe(0);
  });

  it('a job that this program does not know is left alone', async () => {
    await createScheduler([job('newer', async () => ({}))], 'newer').prepare(t.ctx);
    const older = createScheduler([], 'older');
    await runDue(older, t.ctx, 0);
    expect((await rowOf('newer')).fence).toBe(0);
    expect(await older.list(t.ctx)).toEqual([]);
  });
});

describe('a job that fails', () => {
  it('is noted, told, due again, and stops no other', async () => {
    const told: Run[] = [];
    let others = 0;
    const fails = job('a-fails', async () => {
      throw new Error('no luck');
    });
    const scheduler = createScheduler([fails, job('b-works', async () => ({ n: ++others }))], 'one', {
      onRun: (run) => void told.push(run),
    });
    await scheduler.prepare(t.ctx);
    await runDue(scheduler, t.ctx, 0);
    expect(told.map(({ name, status, error }) => [name, status, error]).sort()).toEqual([
      ['a-fails', 'failed', 'no luck'],
      ['b-works', 'ok', undefined],
    ]);
    expect(await rowOf('a-fails')).toMatchObject({
      last_status: 'failed',
      last_error: 'no luck',
      next_due: inSeconds(60),
      lock_owner: null,
    });
  });
});

describe('the lease', () => {
  it('keeps a second runner out until it runs out; the late one then notes nothing', async () => {
    const first = heldJob('long');
    let second = 0;
    const one = createScheduler([first.held], 'one');
    const two = createScheduler([job('long', async () => ({ second: ++second }))], 'two');
    const running = one.run(t.ctx, 'long', false);
    await eventually(() => first.runs());
    expect(await codeOf(two.run(t.ctx, 'long', false))).toBe('CONFLICT');
    expect(await codeOf(two.start(t.ctx, 'long'))).toBe('CONFLICT');
    // A stopped process: its lease is not renewed any more, because the clock that renewals read has moved on.
    t.clock.advance(5);
    await two.run(t.ctx, 'long', true);
    expect(second).toBe(1);
    const noted = await rowOf('long');
    expect([noted.fence, JSON.parse(noted.last_result)]).toEqual([2, { second: 1 }]);
    first.release();
    await running;
    expect(await rowOf('long')).toEqual(noted);
  });

  it('run waits for the end of another runner and runs once more', async () => {
    const first = heldJob('wait');
    let second = 0;
    const one = createScheduler([first.held], 'one');
    const two = createScheduler([job('wait', async () => ({ second: ++second }))], 'two');
    const running = one.run(t.ctx, 'wait', false);
    await eventually(() => first.runs());
    const waiting = two.run(t.ctx, 'wait', true);
    first.release();
    expect((await running).result).toEqual({ runs: 1 });
    expect((await waiting).result).toEqual({ second: 1 });
  });

  it('start does not wait, and the run is noted when it ends', async () => {
    const { held, release, runs } = heldJob('started');
    const scheduler = createScheduler([held], 'one');
    await scheduler.start(t.ctx, 'started');
    await eventually(() => runs());
    expect((await scheduler.list(t.ctx))[0]?.running).toBe(true);
    release();
    await eventually(async () => (await rowOf('started')).last_status === 'ok');
    expect((await scheduler.list(t.ctx))[0]?.running).toBe(false);
  });

  it('a name may be written with _ for -; an unknown one is told with the known ones', async () => {
    const scheduler = createScheduler([job('two-words', async () => ({ n: 1 }))], 'one');
    expect((await scheduler.run(t.ctx, 'two_words', false)).status).toBe('ok');
    expect(await codeOf(scheduler.run(t.ctx, 'three', false))).toBe('NOT_FOUND');
  });
});

describe('a stepped clock', () => {
  it('more than ten minutes ahead: jobs that end things by time wait one interval, others do not', async () => {
    const ran: string[] = [];
    const note = (name: string) => async () => ({ n: ran.push(name) });
    const jobs = [job('ends', note('ends'), { waitsAfterClockStep: true }), job('other', note('other'))];
    const scheduler = createScheduler(jobs, 'one');
    await scheduler.prepare(t.ctx);
    await runDue(scheduler, t.ctx, 600_001);
    expect(ran).toEqual(['other']);
    t.clock.advance(60);
    await runDue(scheduler, t.ctx, 600_000);
    expect(ran.sort()).toEqual(['ends', 'other', 'other']);
  });

  it('set back: a job does not pause until the time comes again for which it was due', async () => {
    let runs = 0;
    const [one, two] = ['one', 'two'].map((owner) =>
      createScheduler([job('goes-on', async () => ({ runs: ++runs }))], owner),
    ) as [Scheduler, Scheduler];
    await one.prepare(t.ctx);
    await runDue(one, t.ctx, 0);
    // Within a minute it is how clocks of two machines differ.
    t.clock.advance(-60);
    await runDue(two, t.ctx, 0);
    expect(runs).toBe(1);
    t.clock.advance(-7200);
    await runDue(two, t.ctx, 0);
    await runDue(one, t.ctx, 0);
    expect(runs).toBe(2);
    expect(await rowOf('goes-on')).toMatchObject({ next_due: inSeconds(60), last_run_at: t.ctx.now() });
  });

  it('set back: a process that died before does not hold the lease until then', async () => {
    const dead = heldJob('left');
    const running = createScheduler([dead.held], 'dead').run(t.ctx, 'left', false);
    await eventually(() => dead.runs());
    t.clock.advance(-7200);
    let runs = 0;
    const alive = createScheduler([job('left', async () => ({ runs: ++runs }))], 'alive');
    expect((await alive.list(t.ctx))[0]?.running).toBe(false);
    await runDue(alive, t.ctx, 0);
    expect(runs).toBe(1);
    const noted = await rowOf('left');
    dead.release();
    await running;
    expect(await rowOf('left')).toEqual(noted);
  });

  it('is noticed by the ticker beyond a minute, in both directions, and told once', async () => {
    const ticks: number[] = [];
    const steps: number[] = [];
    let wall = 0;
    const clock = { epochMs: () => wall, monotonicMs: () => 0 };
    const ticker = createTicker({
      clock,
      log: t.ctx.log,
      tick: async (steppedMs) => void ticks.push(steppedMs),
      onClockStep: (steppedMs) => void steps.push(steppedMs),
    });
    wall = 3_600_000;
    ticker.start();
    await eventually(() => ticks.length === 1);
    wall = 0;
    await eventually(() => ticks.length === 2);
    wall = 60_000;
    await eventually(() => ticks.length === 3);
    await ticker.stop();
    expect([ticks, steps]).toEqual([
      [3_600_000, -3_600_000, 0],
      [3_600_000, -3_600_000],
    ]);
  });
});

it('the ticker asks for what stands beside its tick also while another takes long, and waits for all at its end', async () => {
  let release: () => void = () => undefined;
  const long = new Promise<void>((resolve) => {
    release = resolve;
  });
  const clock = { epochMs: () => 0, monotonicMs: () => 0 };
  let [ticks, beside, isOver] = [0, 0, false];
  const ticker = createTicker({
    clock,
    log: t.ctx.log,
    tick: () => {
      ticks += 1;
      return long;
    },
    beside: [
      () => long,
      async () => {
        beside += 1;
        if (beside === 1) throw new Error('no database');
      },
    ],
  });
  ticker.start();
  await eventually(() => beside === 2);
  expect(ticks).toBe(1);
  const stopped = ticker.stop().then(() => {
    isOver = true;
  });
  expect(isOver).toBe(false);
  release();
  await stopped;
});
