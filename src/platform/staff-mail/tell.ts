import type { Ctx } from '#kernel/context.ts';
import { insertOutbox } from '#kernel/outbox/repository.ts';

export const STAFF_MAIL_KIND = 'staff-mail';
/** Between the key of a mail and its subject. */
export const MARK = ':';

/**
 * Has staff told by mail of something that happened, in its transaction. Who gets it and what it says is found out after
 * the commit: an order must not wait for that.
 *
 * @param ctx of a transaction
 * @param key of a mail that a capability has in its `staffMails`
 * @param subject id of what it happened to
 */
export const tellStaff = (ctx: Ctx, key: string, subject: string): Promise<void> =>
  insertOutbox(ctx, [
    {
      kind: STAFF_MAIL_KIND,
      target: STAFF_MAIL_KIND,
      refId: `${key}${MARK}${subject}`,
      availableAt: ctx.now(),
    },
  ]);
