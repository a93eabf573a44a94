import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Attempted, OutboxHandler } from '#kernel/outbox/handler.ts';
import { post } from './post.ts';
import * as repo from './repository.ts';
import { ALERT_KIND, MARK } from './tell.ts';

/** Pauses after attempts that failed; what is not taken after them is only in the list. */
const PAUSES_SECONDS = [60, 300, 1800, 7200, 21_600] as const;

/** Posts alerts to `alerts.webhook`. */
export const alertHandler: OutboxHandler = {
  kind: ALERT_KIND,
  longestWaitSeconds: PAUSES_SECONDS.at(-1) as number,
  async attempt(ctx, { refId, attempts }) {
    const [id = '', word] = refId.split(MARK);
    const alert = await repo.find(ctx, id);
    if (!alert) return ended;
    const { server, title, message, hint, createdAt, endedAt } = alert;
    const isOver = word === 'over';
    const failure = await post(
      ctx,
      {
        event: isOver ? 'ALERT_OVER' : 'ALERT_BEGUN',
        ...{ id, server, title, message, hint, begunAt: createdAt },
        endedAt: isOver ? endedAt : null,
      },
      attempts + 1,
    );
    return failure === null ? ended : failed(ctx, failure, attempts);
  },
};

const ended: Attempted = { settle: async () => 'ended', isFailure: false };

function failed({ log }: Ctx, failure: string, attempts: number): Attempted {
  const pause = PAUSES_SECONDS[attempts];
  log.warn({ failure, again: pause !== undefined }, 'alerts.webhook did not take an alert');
  return {
    settle: async (ctx) => (pause === undefined ? 'ended' : { retryAt: addSeconds(ctx.now(), pause) }),
    isFailure: false,
  };
}
