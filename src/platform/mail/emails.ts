import type { Ctx } from '#kernel/context.ts';
import { makeDue } from '#kernel/outbox/claims/repository.ts';
import { fail } from '#kernel/service/errors.ts';
import { isMailAddress } from './address.ts';
import { emailEvents } from './events.ts';
import { enqueue, MAIL_KIND } from './queue.ts';
import type { Email } from './record.ts';
import * as repo from './repository.ts';

const missing = (id: string) => fail('NOT_FOUND', `email ${id} does not exist`);

const refused = (message: string) =>
  fail('VALIDATION_ERROR', message, { details: { reason: 'INVALID_TRANSITION' } });

/**
 * Sends a mail again, as it was written: at once, with new attempts. One that waits for its next attempt makes it now.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for one that is being sent, or of which nothing is kept that could be sent
 */
export async function resend(ctx: Ctx, id: string): Promise<Email> {
  return ctx.tx(async (ctx) => {
    const stored = await repo.lock(ctx, id);
    if (!stored) throw missing(id);
    const { email: before, valuesEnc } = stored;
    if (before.status === 'sending') throw refused('this email is being sent right now');
    if (!isMailAddress(before.to)) throw refused('email cannot be sent to this address');
    if (valuesEnc === null) throw refused('the text of this email was removed after it was sent or failed');
    const now = ctx.now();
    const waits = before.status === 'queued';
    const after: Email = {
      ...before,
      status: 'queued',
      ...(!waits && { run: before.run + 1, attempts: 0, error: null, endedAt: null }),
      nextAttemptAt: now,
      updatedAt: now,
    };
    await repo.update(ctx, after);
    if (waits) await makeDue(ctx, MAIL_KIND, id);
    else await enqueue(ctx, id, now);
    await emailEvents.tell(ctx, 'EMAIL_RESENT', id, { template: after.template }, { before, after });
    return after;
  });
}

/** Gives up a mail that waits. @throws AppError NOT_FOUND; VALIDATION_ERROR for one that does not wait any more */
export async function drop(ctx: Ctx, id: string): Promise<Email> {
  return ctx.tx(async (ctx) => {
    const stored = await repo.lock(ctx, id);
    if (!stored) throw missing(id);
    const { email: before } = stored;
    if (before.status !== 'queued') throw refused(`this email is not waiting: it is ${before.status}`);
    const now = ctx.now();
    const after: Email = {
      ...before,
      status: 'suppressed',
      error: 'dropped by staff',
      nextAttemptAt: null,
      endedAt: now,
      updatedAt: now,
    };
    await repo.update(ctx, after, before.isSecret);
    await emailEvents.tell(ctx, 'EMAIL_DROPPED', id, { template: after.template }, { before, after });
    return after;
  });
}
