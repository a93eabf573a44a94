// Outcomes of one moment share a transaction: one that cannot be written takes no other with it (reliability M6).
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { Gathering } from '#kernel/outbox/gathering.ts';
import type { OutboxEntry, Settle } from '#kernel/outbox/handler.ts';
import { insertOutbox } from '#kernel/outbox/repository.ts';
import type { OutboxRow } from '#kernel/outbox/row.ts';
import { createOutboxWorker } from '#kernel/outbox/worker.ts';
import { openTestContext, type TestContext } from '../support/context.ts';

let context: TestContext;
let ctx: Ctx;
beforeAll(async () => {
  context = await openTestContext();
  ({ ctx } = context);
});
afterAll(() => context.close());
beforeEach(() => ctx.tx(async (ctx) => void (await ctx.db.knex('outbox').delete())));

const NAMES = Array.from({ length: 8 }, (_, i) => `entry ${String(i).padStart(2, '0')}`);
const row = (refId: string, extra: Partial<OutboxRow> = {}): OutboxRow => ({
  kind: 'test',
  target: refId,
  refId,
  availableAt: ctx.now(),
  ...extra,
});
const sendAll = (settleOf: (entry: OutboxEntry) => Settle) => {
  const attempt = async (_ctx: Ctx, entry: OutboxEntry) => ({ settle: settleOf(entry), isFailure: false });
  return createOutboxWorker({ ctx, handlers: [{ kind: 'test', longestWaitSeconds: 100, attempt }] }).idle();
};
const stored = async (): Promise<string[]> =>
  (await ctx.db.knex('outbox').orderBy('ref_id').select('ref_id')).map((one) => String(one.ref_id));

/** What an outcome writes, to be seen afterwards. */
const note = (ctx: Ctx, refId: string) =>
  insertOutbox(ctx, [row(`noted ${refId}`, { kind: 'later', availableAt: addSeconds(ctx.now(), 3600) })]);

test('an outcome that fails among others is written alone, and each is written once', async () => {
  await ctx.tx((ctx) =>
    insertOutbox(
      ctx,
      NAMES.map((name) => row(name)),
    ),
  );
  let failures = 0;
  await sendAll(({ refId }) => async (ctx) => {
    await note(ctx, refId);
    if (refId === 'entry 05' && failures++ === 0) throw new Error('not now');
    return 'ended';
  });
  expect(failures).toBe(2);
  expect(await stored()).toEqual(NAMES.map((name) => `noted ${name}`));
});

test('an entry whose lease was lost writes nothing, and the others of its transaction do', async () => {
  await ctx.tx((ctx) =>
    insertOutbox(
      ctx,
      NAMES.map((name) => row(name)),
    ),
  );
  let begun = 0;
  let letGo = () => {};
  const all = new Promise<void>((resolve) => (letGo = resolve));
  const worker = createOutboxWorker({
    ctx,
    handlers: [
      {
        kind: 'test',
        longestWaitSeconds: 100,
        attempt: async (outer, { refId }) => {
          begun += 1;
          if (begun === NAMES.length) {
            await outer.tx(async ({ db }) => {
              const taken = { lease_token: 'of another', lease_until: addSeconds(outer.now(), 30) };
              await db.knex('outbox').where({ ref_id: 'entry 03' }).update(taken);
            });
            letGo();
          }
          await all;
          const settle: Settle = async (ctx) => {
            await note(ctx, refId);
            return 'ended';
          };
          return { settle, isFailure: false };
        },
      },
    ],
  });
  await worker.idle();
  const others = NAMES.filter((name) => name !== 'entry 03');
  expect(await stored()).toEqual(['entry 03', ...others.map((name) => `noted ${name}`)]);
});

test('a gathering writes ten at once, and fewer after a moment', async () => {
  const written: number[] = [];
  const gathering = new Gathering<number>(async (together) => void written.push(together.length));
  await Promise.all(Array.from({ length: 23 }, (_, i) => gathering.add(i)));
  expect(written).toEqual([10, 10, 3]);
  gathering.release();
  expect(written).toEqual([10, 10, 3]);
});
