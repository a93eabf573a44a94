// Walks over long tables: step by step, each a transaction of its own, until the process ends.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stepOf, takeSteps } from '#kernel/jobs/step.ts';
import { beginStopping } from '#kernel/jobs/stopping.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';

let t: TestContext;
beforeEach(async () => {
  t = await openTestContext();
});
afterEach(() => t.close());

it('goes on until a step was the last, and sums up what they changed', async () => {
  const left = [500, 500, 20];
  expect(await takeSteps<true>(t.ctx, async () => stepOf(left.shift() ?? 0))).toBe(1020);
  expect(left).toEqual([]);
});

it('a process that ends finishes the step that it is at, keeps it, and begins no other one', async () => {
  let taken = 0;
  const step = async ({ db }: Pick<typeof t.ctx, 'db'>) => {
    taken += 1;
    const now = t.ctx.now();
    const setting = { key: `step-${taken}`, value: '1', created_at: now, updated_at: now };
    await db.knex('settings').insert(setting);
    if (taken === 2) beginStopping(t.ctx);
    return stepOf(500);
  };
  expect(await takeSteps<true>(t.ctx, step)).toBe(1000);
  expect(
    await t.database.db.knex('settings').where('key', 'like', 'step-%').orderBy('key').pluck('key'),
  ).toEqual(['step-1', 'step-2']);
  // Those of the walks behind it wait for the next process, too.
  expect(await takeSteps<true>(t.ctx, step)).toBe(0);
  expect(taken).toBe(2);
});
