// What fails again and again: logged once, counted each time, and never in the way of the rest.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import { startLeftovers } from '#kernel/jobs/leftovers.ts';
import { logTo } from '#kernel/log.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';

let t: TestContext;
beforeEach(async () => {
  t = await openTestContext();
});
afterEach(() => t.close());

/** A ctx whose log is read; its lines name the things that failed. */
function loggedCtx() {
  const lines: string[] = [];
  const log = logTo({ write: (line: string) => void lines.push(String(JSON.parse(line).id)) }, 'error');
  return { ctx: createContext({ ...t.runtime, log }, t.ctx.tenantId), lines };
}

type Logged = ReturnType<typeof loggedCtx>;
const fails = (reason: string) => () => Promise.reject(new Error(reason));
const works = async () => undefined;

async function runOver({ ctx }: Logged, things: Record<string, () => Promise<void>>) {
  const leftovers = startLeftovers(ctx, { job: 'test', what: 'thing' });
  let done = 0;
  for (const [id, work] of Object.entries(things)) if (await leftovers.attempt(id, work)) done += 1;
  return leftovers.settle({ done });
}

it('names what was left, and logs it in the first run only, and again after it worked', async () => {
  const logged = loggedCtx();
  const things = { a: fails('no luck'), b: works, c: fails('none') };
  const left = {
    message: 'thing a: no luck; thing c: none; all others were handled',
    counts: { done: 1, failed: 2 },
  };
  await expect(runOver(logged, things)).rejects.toMatchObject(left);
  await expect(runOver(logged, things)).rejects.toMatchObject(left);
  expect(logged.lines).toEqual(['a', 'c']);
  expect(await runOver(logged, { a: works })).toEqual({ done: 1 });
  await expect(runOver(logged, { a: fails('again') })).rejects.toMatchObject({
    counts: { done: 0, failed: 1 },
  });
  expect(logged.lines).toEqual(['a', 'c', 'a']);
});

it('ten new failures in a row end the run; the next one knows them and comes to what lies behind', async () => {
  const logged = loggedCtx();
  const broken = Array.from({ length: 12 }, (_, n) => [`thing-${n}`, fails(`reason ${n}`)]);
  const things = Object.fromEntries([...broken, ['last', works]]);
  await expect(runOver(logged, things)).rejects.toThrow('reason 9');
  await expect(runOver(logged, things)).rejects.toMatchObject({
    message: expect.stringContaining('and 9 more; all others were handled'),
    counts: { done: 1, failed: 12 },
  });
  expect(logged.lines).toHaveLength(12);
});
