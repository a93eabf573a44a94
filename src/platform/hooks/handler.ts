import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { runBefore } from '#kernel/hooks/before.ts';
import { callHook } from '#kernel/hooks/call.ts';
import { failureOf, HookError, HookFailed, shownMessage } from '#kernel/hooks/hook-error.ts';
import type { Payload } from '#kernel/hooks/point.ts';
import { inTime } from '#kernel/hooks/time.ts';
import type { Attempted, OutboxHandler, Settlement } from '#kernel/outbox/handler.ts';
import type { HookRun } from './record.ts';
import * as repo from './repository.ts';
import { HOOK_KIND } from './runs.ts';

/** After the first attempt; then a run is given up. */
const DELAYS_SECONDS = [30, 120, 600, 1800, 7200];
/** All functions of a file together; the lease of an attempt is a little longer. */
const AFTER_MS = 10_000;

/** What was put off until its before-hooks have run, in the transaction that ends it. */
export type HookThen = (ctx: Ctx, payload: Payload) => Promise<void>;

/** Calls hooks once what they are called for was committed (storefront-domain 19). */
export function hookHandler(thens: Readonly<Record<string, HookThen>> = {}): OutboxHandler {
  return {
    kind: HOOK_KIND,
    longestWaitSeconds: Math.max(...DELAYS_SECONDS),
    async attempt(outer, { refId }) {
      const run = await repo.findPending(outer, refId);
      if (!run) return settledBy(async () => 'ended');
      const { kind, id, label } = run.actor as Ctx['actor'];
      const ctx = outer.with({ tenantId: run.tenantId, actor: { kind, id, label } });
      return run.phase === 'after' ? attemptAfter(ctx, run) : attemptBefore(ctx, run, thens[run.point]);
    },
  };
}

const settledBy = (settle: Attempted['settle']): Attempted => ({ settle, isFailure: false });
const payloadOf = ({ payload }: HookRun): Record<string, unknown> => JSON.parse(payload ?? '{}');

/** A file that fails is called again for this event, with all of its functions: each must bear to be called twice. */
async function attemptAfter(ctx: Ctx, run: HookRun): Promise<Attempted> {
  const { byEvent } = await ctx.hooks.load();
  const ours = (byEvent.get(`after:${run.point}`) ?? []).filter(({ file }) => file === run.file);
  if (ours.length === 0) return settledBy((ctx) => end(ctx, run, 'skipped', 'the file does not subscribe'));
  try {
    await inTime(
      async () => {
        for (const one of ours)
          await callHook(ctx, one, { payload: payloadOf(run), actor: ctx.actor, ms: AFTER_MS });
      },
      AFTER_MS,
      'it',
    );
    return settledBy((ctx) => finish(ctx, run));
  } catch (error) {
    const failure = wordsOf(error);
    return settledBy((ctx) => again(ctx, run, failure));
  }
}

const wordsOf = (error: unknown): string => {
  if (error instanceof HookError) return shownMessage(error);
  return failureOf(error instanceof HookFailed ? error.cause : error);
};

async function finish(ctx: Ctx, { id }: HookRun): Promise<Settlement> {
  await repo.remove(ctx, id);
  return 'ended';
}

async function again(ctx: Ctx, run: HookRun, lastError: string): Promise<Settlement> {
  const delay = DELAYS_SECONDS[run.attempts];
  if (delay === undefined) return end(ctx, run, 'failed', lastError);
  await repo.update(ctx, run.id, { attempts: run.attempts + 1, lastError });
  return { retryAt: addSeconds(ctx.now(), delay) };
}

async function end(
  ctx: Ctx,
  { id, file, point, attempts }: HookRun,
  state: 'failed' | 'skipped',
  lastError: string,
): Promise<Settlement> {
  ctx.log.warn(
    { file, point, run: id, error: lastError },
    `a hook was ${state === 'failed' ? 'given up' : state}`,
  );
  await repo.update(ctx, id, {
    state,
    lastError,
    attempts: attempts + 1,
    endedAt: ctx.now(),
    payload: null,
  });
  return 'ended';
}

/** Whatever a hook throws keeps from happening what was put off; it is logged, and not tried again. */
async function attemptBefore(ctx: Ctx, run: HookRun, then?: HookThen): Promise<Attempted> {
  const payload = payloadOf(run);
  try {
    await runBefore(ctx, ctx.hooks, run.point, payload, {});
  } catch (error) {
    ctx.log.info(
      { point: run.point, subject: run.subject, reason: failureOf(error) },
      'a hook refused something',
    );
    return settledBy((ctx) => finish(ctx, run));
  }
  return settledBy(async (ctx) => {
    await then?.(ctx.with({ tenantId: run.tenantId }), payload);
    return finish(ctx, run);
  });
}
