// Jobs beside each other in one process: so many at most, none twice, and a long one keeps no other waiting.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createScheduler } from '#kernel/jobs/scheduler.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';
import { heldJob, job } from '../../support/jobs.ts';
import { eventually } from '../../support/server-process.ts';

let t: TestContext;
beforeEach(async () => {
  t = await openTestContext();
});
afterEach(() => t.close());

const inSeconds = (seconds: number) => new Date(t.clock.epochMs() + seconds * 1000).toISOString();

it('a job of minutes keeps no other waiting, at most three run beside each other, and none runs twice', async () => {
  const held = ['a', 'b', 'c', 'd'].map(heldJob);
  let short = 0;
  const quick = job('quick', async () => ({ n: ++short }), { everySeconds: 10 });
  const scheduler = createScheduler([...held.map((one) => one.held), quick], 'one');
  await scheduler.prepare(t.ctx);
  await t.database.transaction(({ knex }) =>
    knex('scheduled_jobs')
      .whereNotIn('name', ['a'])
      .update({ next_due: inSeconds(1) }),
  );
  const first = await scheduler.startDue(t.ctx, 0);
  await eventually(() => held[0]?.runs());
  t.clock.advance(1);
  // Beside the long one: b and c find a lane, d and quick none. Asked again, nothing is free and nothing waits.
  const second = await scheduler.startDue(t.ctx, 0);
  await eventually(() => held[1]?.runs() === 1 && held[2]?.runs() === 1);
  await (await scheduler.startDue(t.ctx, 0)).ended;
  expect([held.map((one) => one.runs()), short]).toEqual([[1, 1, 1, 0], 0]);
  held[1]?.release();
  await eventually(() => held[3]?.runs());
  held[2]?.release();
  await eventually(() => short === 1);
  for (const one of held) one.release();
  await Promise.all([first.ended, second.ended]);
  expect([held.map((one) => one.runs()), short]).toEqual([[1, 1, 1, 1], 1]);
});

it('a stop begins nothing more and waits for what runs', async () => {
  const held = ['a', 'b', 'c', 'd'].map(heldJob);
  const scheduler = createScheduler(
    held.map((one) => one.held),
    'one',
  );
  await scheduler.prepare(t.ctx);
  await scheduler.startDue(t.ctx, 0);
  await eventually(() => held.filter((one) => one.runs() === 1).length === 3);
  let isOver = false;
  const stopped = scheduler.stop().then(() => {
    isOver = true;
  });
  expect(isOver).toBe(false);
  for (const one of held) one.release();
  await stopped;
  expect(held.map((one) => one.runs()).sort()).toEqual([0, 1, 1, 1]);
});
