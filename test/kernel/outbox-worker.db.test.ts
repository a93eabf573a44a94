// The worker of the outbox: claims, leases, turns, and what a crash or a wrong clock leaves behind (reliability M6, M20).
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import * as claims from '#kernel/outbox/claims/repository.ts';
import type { OutboxEntry, OutboxHandler, Settlement } from '#kernel/outbox/handler.ts';
import { leaseUntil, momentOf } from '#kernel/outbox/lease.ts';
import { insertOutbox } from '#kernel/outbox/repository.ts';
import { createOutboxWorker } from '#kernel/outbox/worker.ts';
import { openTestContext, type TestContext } from '../support/context.ts';

let test_: TestContext;
let ctx: Ctx;

beforeAll(async () => {
  test_ = await openTestContext();
  ({ ctx } = test_);
});
afterAll(() => test_.close());
beforeEach(() => ctx.tx(async (ctx) => void (await ctx.db.knex('outbox').delete())));

type Attempt = (entry: OutboxEntry) => Promise<Settlement>;

const handlerOf = (attempt: Attempt, kind = 'test'): OutboxHandler => ({
  kind,
  longestWaitSeconds: 100,
  attempt: async (_ctx, entry) => {
    const settlement = await attempt(entry);
    return { settle: async () => settlement, isFailure: false };
  },
});
const workerOf = (attempt: Attempt) => createOutboxWorker({ ctx, handlers: [handlerOf(attempt)] });

/** Writes entries; `refId` numbers them. */
const write = (target: string, count: number, extra: { kind?: string; availableAt?: string } = {}) =>
  ctx.tx((ctx) =>
    insertOutbox(
      ctx,
      Array.from({ length: count }, (_, i) => ({
        kind: 'test',
        target,
        refId: `${target} ${i}`,
        availableAt: ctx.now(),
        ...extra,
      })),
    ),
  );
const rows = (): Promise<Record<string, unknown>[]> =>
  ctx.db.knex('outbox').orderBy(['target', 'available_at', 'id']);

/** A handler whose attempts wait until they are let go. */
function heldAttempts() {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  let mayPass = false;
  const attempt: Attempt = async ({ refId }) => {
    begun.push(refId);
    if (!mayPass) await new Promise<void>((resolve) => waiting.push(resolve));
    return 'ended';
  };
  const letGo = () => {
    mayPass = true;
    for (const go of waiting.splice(0)) go();
  };
  return { begun, attempt, letGo };
}

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
};

test('entries of a target are begun in their order, and are gone when they have ended', async () => {
  const begun: string[] = [];
  await write('a', 60);
  await workerOf(async ({ refId }) => {
    begun.push(refId);
    return 'ended';
  }).idle();
  expect(begun).toEqual(Array.from({ length: 60 }, (_, i) => `a ${i}`));
  expect(await rows()).toEqual([]);
});

test('what a transaction wrote that was rolled back is never sent', async () => {
  const begun: string[] = [];
  await expect(
    ctx.tx(async (ctx) => {
      await insertOutbox(ctx, [{ kind: 'test', target: 'a', refId: 'a 0', availableAt: ctx.now() }]);
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  await workerOf(async ({ refId }) => {
    begun.push(refId);
    return 'ended';
  }).idle();
  expect(begun).toEqual([]);
});

test('at most 2 are on their way per target and 20 in all; targets take turns', async () => {
  const targets = Array.from({ length: 12 }, (_, i) => `t${String(i).padStart(2, '0')}`);
  for (const target of targets) await write(target, 5);
  const held = heldAttempts();
  const idle = workerOf(held.attempt).idle();
  await until(() => held.begun.length >= 20);
  // A moment in which more would begin.
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(held.begun).toHaveLength(20);
  const counts = Map.groupBy(held.begun, (refId) => refId.split(' ')[0]);
  for (const [, begun] of counts) expect(begun.length).toBeLessThanOrEqual(2);
  held.letGo();
  await idle;
  expect(held.begun.toSorted()).toEqual(
    targets.flatMap((target) => [0, 1, 2, 3, 4].map((i) => `${target} ${i}`)),
  );
});

test('a target that does not answer does not delay another', async () => {
  await write('dead', 30);
  await write('live', 100);
  const held = heldAttempts();
  const live: string[] = [];
  const worker = workerOf((entry) => {
    if (entry.target === 'dead') return held.attempt(entry);
    live.push(entry.refId);
    return Promise.resolve('ended');
  });
  const idle = worker.idle();
  await until(() => live.length === 100);
  expect(held.begun).toEqual(['dead 0', 'dead 1']);
  held.letGo();
  await idle;
  expect(held.begun).toHaveLength(30);
});

test('an entry that is to be tried again waits, and its attempts are counted at the end of each', async () => {
  await write('a', 1);
  const seen: number[] = [];
  const worker = workerOf(async ({ attempts }) => {
    seen.push(attempts);
    return attempts < 2 ? { retryAt: addSeconds(ctx.now(), 10) } : 'ended';
  });
  for (const seconds of [0, 9.999, 0.001, 10]) {
    test_.clock.advance(seconds);
    await worker.idle();
  }
  expect(seen).toEqual([0, 1, 2]);
  expect(await rows()).toEqual([]);
});

const claimAll = (): Promise<claims.Held[]> =>
  ctx.tx((ctx) =>
    claims.claim(ctx, {
      ...momentOf(ctx.now()),
      target: 'a',
      count: 10,
      token: 'of-another-process',
      until: leaseUntil(ctx.now()),
    }),
  );

test('what a process held that died is repeated under the same number after 30 s, not before', async () => {
  await write('a', 1);
  expect(await claimAll()).toHaveLength(1);
  const seen: number[] = [];
  const worker = workerOf(async ({ attempts }) => {
    seen.push(attempts);
    return 'ended';
  });
  test_.clock.advance(29.999);
  await worker.idle();
  expect(seen).toEqual([]);
  test_.clock.advance(0.001);
  await worker.idle();
  expect(seen).toEqual([0]);
});

test('the outcome of an entry that somebody else has claimed since is dropped', async () => {
  await write('a', 1);
  let settled = 0;
  const handler: OutboxHandler = {
    ...handlerOf(async () => 'ended'),
    attempt: async () => {
      test_.clock.advance(31);
      expect(await claimAll()).toHaveLength(1);
      const settle = async () => {
        settled += 1;
        return 'ended' as const;
      };
      return { settle, isFailure: false };
    },
  };
  await createOutboxWorker({ ctx, handlers: [handler] }).idle();
  expect(settled).toBe(0);
  expect(await rows()).toMatchObject([{ attempts: 0, lease_token: 'of-another-process' }]);
});

test('an outcome that the database did not take is written later, as long as the entry is held', async () => {
  await write('a', 1);
  let tries = 0;
  const handler: OutboxHandler = {
    ...handlerOf(async () => 'ended'),
    attempt: async () => ({
      settle: async () => {
        tries += 1;
        if (tries === 1) throw new Error('the database is away');
        return 'ended';
      },
      isFailure: false,
    }),
  };
  await createOutboxWorker({ ctx, handlers: [handler] }).idle();
  expect(tries).toBe(2);
  expect(await rows()).toEqual([]);
});

test('a lease and a wait that a clock put too far ahead before it was set back hold nothing up', async () => {
  await write('a', 1);
  await write('b', 1);
  await write('c', 1, { availableAt: addSeconds(ctx.now(), 159) });
  const put = (target: string, columns: object) =>
    ctx.tx(async (ctx) => void (await ctx.db.knex('outbox').where({ target }).update(columns)));
  await put('a', { lease_token: 'x', lease_until: addSeconds(ctx.now(), 7200) });
  await put('b', { available_at: addSeconds(ctx.now(), 7200) });
  const begun: string[] = [];
  const worker = workerOf(async ({ refId }) => {
    begun.push(refId);
    return 'ended';
  });
  await worker.idle();
  expect(begun).toEqual(['a 0']);
  await worker.rescue();
  await worker.idle();
  expect(begun).toEqual(['a 0', 'b 0']);
});

test('what this program cannot send is left to one that can', async () => {
  await write('a', 3, { kind: 'newer' });
  await write('b', 1);
  const begun: string[] = [];
  const worker = workerOf(async ({ refId }) => {
    begun.push(refId);
    return 'ended';
  });
  await worker.idle();
  expect(begun).toEqual(['b 0']);
  expect(await rows()).toMatchObject(Array(3).fill({ kind: 'newer', attempts: 0, lease_token: null }));
});

test('a handler that fails leaves the entry to its lease', async () => {
  await write('a', 1);
  let tries = 0;
  const worker = workerOf(async () => {
    tries += 1;
    if (tries === 1) throw new Error('a mistake');
    return 'ended';
  });
  await worker.idle();
  expect(await rows()).toMatchObject([{ attempts: 0 }]);
  test_.clock.advance(30);
  await worker.idle();
  expect(tries).toBe(2);
});

test('the worker of a process that runs is woken by what is written there, and waits for it when it stops', async () => {
  const held = heldAttempts();
  const worker = workerOf(held.attempt);
  worker.start();
  await write('a', 5);
  await until(() => held.begun.length === 2);
  let hasStopped = false;
  const stopped = worker.stop().then(() => {
    hasStopped = true;
  });
  await write('b', 1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(hasStopped).toBe(false);
  held.letGo();
  await stopped;
  expect(held.begun).toEqual(['a 0', 'a 1']);
  expect((await rows()).map(({ ref_id, lease_token }) => [ref_id, lease_token])).toEqual([
    ['a 2', null],
    ['a 3', null],
    ['a 4', null],
    ['b 0', null],
  ]);
});
