import type { Ctx } from '#kernel/context.ts';
import type { Attempted, OutboxEntry, OutboxHandler } from '#kernel/outbox/handler.ts';
import type { SendingService } from '../service.ts';
import { send } from './attempt.ts';
import { skipRest } from './changes.ts';
import { markSkipped } from './queries.ts';
import { findFailures, findWaiting, type Waiting } from './repository.ts';
import { FAILURES_THAT_DISABLE, type Result, settleAttempt } from './settle.ts';
import { WEBHOOK_KIND } from './source.ts';
import { longestDelay, planInForce, verdictOf } from './verdict.ts';

/** What is told of an attempt when its outcome is written. */
export interface Told {
  service: string;
  result: Result;
  /** From the beginning of the request to the head of its answer. */
  seconds: number;
}

/**
 * Sends deliveries of webhooks (spec, Delivery; D117 to D120).
 *
 * @param onAttempt is told of every attempt, for figures
 */
export function webhookHandler(
  services: readonly SendingService[],
  onAttempt: (told: Told) => void = () => undefined,
): OutboxHandler {
  const byName = new Map(services.map((service) => [service.name, service]));
  return {
    kind: WEBHOOK_KIND,
    longestWaitSeconds: Math.max(...services.map(({ plan }) => longestDelay(plan))),
    async attempt(ctx, entry) {
      const delivery = await findWaiting(ctx, entry.refId);
      if (!delivery?.isPending) return { settle: async () => 'ended', isFailure: false };
      const service = byName.get(delivery.service);
      if (!service) throw new Error(`service ${delivery.service} was not found`);
      if (!delivery.enabled && delivery.run === 0) return skip(delivery);
      if (delivery.failures > 0 && delivery.run === 0 && !entry.isCounted) return 'put back';
      return attempt(ctx, service, delivery, entry, onAttempt);
    },
    remainingOf,
  };
}

/** It waited, or lay claimed, while its webhook was disabled. */
const skip = ({ id }: Waiting): Attempted => ({
  settle: async (ctx) => {
    await markSkipped(ctx, [id]);
    return 'ended';
  },
  isFailure: false,
});

/** No more requests than failures that are left: otherwise those on their way would go past the last of them (D119). */
async function remainingOf(ctx: Ctx, webhookId: string): Promise<number | null> {
  const failures = await findFailures(ctx, webhookId);
  return failures === null || failures === 0 ? null : Math.max(1, FAILURES_THAT_DISABLE - failures);
}

async function attempt(
  outer: Ctx,
  service: SendingService,
  delivery: Waiting,
  { attempts }: OutboxEntry,
  onAttempt: (told: Told) => void,
): Promise<Attempted> {
  const { event, eventId, body, run, sender } = delivery;
  const sendable = { event, eventId, body, n: attempts + 1, isRedelivery: run > 0 };
  const plan = planInForce(outer, service);
  const attempted = await send(outer, service, sender, sendable);
  const endedAt = outer.now();
  const isFailure = run === 0 && verdictOf(plan, attempted.outcome, attempted.n) === 'failed';
  const settle: Attempted['settle'] = async (ctx) => {
    const own = ctx.with({ tenantId: delivery.tenantId });
    const settled = await settleAttempt(own, plan, delivery, attempted, endedAt);
    const { settlement, result, disabledAt } = settled;
    ctx.afterCommit(() => onAttempt({ service: service.name, result, seconds: attempted.ms / 1000 }));
    if (disabledAt !== null) ctx.afterCommit(() => skipRest(outer, sender.webhookId, disabledAt));
    return settlement;
  };
  return { settle, isFailure };
}
