// One-off work: seen while it runs, cancelled from elsewhere, and honest about how it ended.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sleep } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { cancelTask, getTask, type RunningTask, runTask } from '#kernel/jobs/task.ts';
import { taskRows } from '#platform/jobs/queries.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';
import { codeOf, refusalOf } from '../../support/refusal.ts';
import { eventually } from '../../support/server-process.ts';

let t: TestContext;
beforeEach(async () => {
  t = await openTestContext();
});
afterEach(() => t.close());

const listTasks = async (ctx: Ctx, limit: number) => (await taskRows.page(ctx, { offset: 0, limit })).items;

const spec = { kind: 'import things', params: { file: 'things.csv' } };

/** Work that goes on until it is stopped from outside. */
async function endless({ progress }: RunningTask): Promise<object> {
  for (let done = 1; ; done++) {
    progress(done, 1_000_000);
    await sleep(10);
  }
}

it('is kept with its report, and shown to its own tenant', async () => {
  const report = await runTask(t.ctx, spec, async (task) => {
    expect(await getTask(t.ctx, task.id)).toMatchObject({ status: 'RUNNING', done: 0, finishedAt: null });
    task.progress(3, 3);
    return { created: 3 };
  });
  expect(report).toEqual({ created: 3 });
  const [task] = await listTasks(t.ctx, 10);
  const startedAt = t.ctx.now();
  expect(task).toEqual({
    ...spec,
    id: expect.stringMatching(/^tsk_/),
    status: 'DONE',
    startedBy: 'system',
    actorId: null,
    done: 3,
    total: 3,
    cancelAsked: false,
    report: { created: 3 },
    error: null,
    startedAt,
    finishedAt: startedAt,
  });
  expect(await listTasks(await t.otherTenant(), 10)).toEqual([]);
});

it('that throws is FAILED with the reason, and the caller gets the error', async () => {
  const broken = new Error('no luck');
  const running = runTask(t.ctx, spec, () => Promise.reject(broken));
  await expect(running).rejects.toBe(broken);
  expect(await listTasks(t.ctx, 10)).toMatchObject([{ status: 'FAILED', error: 'no luck', report: null }]);
});

it('is cancelled from elsewhere, after the step under way; a task that has ended cannot be cancelled', async () => {
  const running = refusalOf(runTask(t.ctx, spec, endless));
  const { id } = await eventually(async () => (await listTasks(t.ctx, 1)).find(({ done }) => done > 0));
  expect(await cancelTask(t.ctx, id)).toMatchObject({
    status: 'RUNNING',
    cancelAsked: true,
    total: 1_000_000,
  });
  expect(await running).toMatchObject({ code: 'CONFLICT', message: `task ${id} was canceled` });
  const task = await getTask(t.ctx, id);
  expect(task).toMatchObject({ status: 'CANCELLED', finishedAt: t.ctx.now() });
  expect(task.done).toBeGreaterThan(0);
  expect(await codeOf(cancelTask(t.ctx, id))).toBe('CONFLICT');
  expect(await codeOf(cancelTask(t.ctx, 'tsk_unknown'))).toBe('NOT_FOUND');
});

it.each([
  ['gives no sign of life for 30 s', 31],
  ['was left by a clock that has been set back', -86_400],
])('one that %s is FAILED, and stops when its process wakes up', async (_name, seconds) => {
  const running = refusalOf(runTask(t.ctx, spec, endless));
  await eventually(async () => (await listTasks(t.ctx, 1)).length === 1);
  t.clock.advance(seconds);
  await t.database.transaction(({ knex }) =>
    knex('tasks').update({ locked_until: new Date(t.clock.epochMs() - seconds * 1000).toISOString() }),
  );
  expect(await listTasks(t.ctx, 10)).toMatchObject([
    { status: 'FAILED', error: 'the process that ran it has ended' },
  ]);
  expect((await running).message).toContain('was given up');
  expect(await listTasks(t.ctx, 10)).toMatchObject([{ error: 'the process that ran it has ended' }]);
});

it('is forgotten 30 days after its end', async () => {
  await runTask(t.ctx, spec, async () => ({}));
  t.clock.advance(30 * 86_400 + 1);
  await runTask(t.ctx, spec, async () => ({}));
  expect(await listTasks(t.ctx, 10)).toHaveLength(1);
});
