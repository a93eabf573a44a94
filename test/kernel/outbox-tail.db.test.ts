// The tail of the timeline: every event once, in its order, also one that is committed late.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { insertEvents } from '#kernel/outbox/repository.ts';
import { type TailOptions, tailEvents } from '#kernel/outbox/tail.ts';
import { eventRows } from '#licensing/insight/events/queries.ts';
import { openTestContext, type TestContext } from '../support/context.ts';

let timeline: TestContext;
let ctx: Ctx;
beforeAll(async () => {
  timeline = await openTestContext();
});
afterAll(() => timeline.close());
beforeEach(async () => {
  // A tenant of its own: other tests' events are not in its timeline.
  ctx = await timeline.otherTenant();
});

/** Writes events as their transactions do; `at` may lie in the past of the others. */
const write = (types: readonly string[], at = ctx.now(), subject = 'lic_1') =>
  ctx.tx(async (ctx) => {
    for (const type of types) {
      const event = { type, service: 'license', subject, data: {}, id: ctx.newId('evt'), at };
      await insertEvents(ctx, [{ ...event, tenantId: ctx.tenantId }]);
    }
  });

/** The events of the tenant, as the admin API lists them. */
const told = (filters: Record<string, unknown> = {}) => ({
  now: () => ctx.now(),
  newest: async (limit: number) =>
    limit === 0 ? [] : (await eventRows.after(ctx, { filters, cursor: null, limit })).items.reverse(),
  async *since(from: string) {
    let cursor: string | null = null;
    do {
      const page = await eventRows.after(ctx, {
        filters: { ...filters, from },
        sort: 'at',
        cursor,
        limit: 500,
      });
      yield* page.items;
      cursor = page.next;
    } while (cursor !== null);
  },
});

async function typesOf(options: Partial<TailOptions>, filter = {}): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of tailEvents(told(filter), { last: 10, follow: false, ...options }))
    types.push(type);
  return types;
}

const secondsAgo = (seconds: number) => new Date(timeline.clock.epochMs() - seconds * 1000).toISOString();

it('gives the newest in the order of their time, of one tenant, type or subject', async () => {
  await write(['C', 'D']);
  await write(['A', 'B'], secondsAgo(60), 'lic_2');
  expect(await typesOf({})).toEqual(['A', 'B', 'C', 'D']);
  expect(await typesOf({ last: 3 })).toEqual(['B', 'C', 'D']);
  expect(await typesOf({ last: 0 })).toEqual([]);
  expect(await typesOf({}, { subject: 'lic_2' })).toEqual(['A', 'B']);
  expect(await typesOf({}, { type: 'D' })).toEqual(['D']);
  expect(await typesOf({ since: secondsAgo(60) })).toHaveLength(4);
  expect(await typesOf({ since: secondsAgo(59) })).toEqual(['C', 'D']);
});

it('reads page by page: none twice, none left out, within one millisecond too', async () => {
  const names = Array.from({ length: 1001 }, (_, index) => `E${index}`);
  await write(names);
  expect(await typesOf({ since: secondsAgo(1) })).toEqual(names);
});

it('follows: what is new, and what was committed late; nothing again, nothing from before', async () => {
  await write(['OLD', 'LAST']);
  const tail = tailEvents(told(), { last: 1, follow: true });
  const next = async () => (await tail.next()).value?.type;
  expect(await next()).toBe('LAST');
  timeline.clock.advance(1);
  await write(['NEW']);
  expect(await next()).toBe('NEW');
  await write(['LATE'], secondsAgo(4));
  await write(['TOO LATE'], secondsAgo(6));
  expect(await next()).toBe('LATE');
  await tail.return(undefined);
});
