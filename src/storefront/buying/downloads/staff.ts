import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { downloadEvents } from './events.ts';
import { grantPaid } from './grants.ts';
import { type GrantOf, grantRows, grantsOf } from './queries.ts';
import * as repo from './repository.ts';

/** What staff give more of. */
export interface More {
  /** Further downloads. */
  readonly downloads?: number | undefined;
  /** Days from now until which it can be fetched. */
  readonly days?: number | undefined;
}

const MOST_DOWNLOADS = 1_000_000;

/**
 * Gives the buyer of a file more downloads, or more time: the number is counted on top of what is left, and time from now.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR when nothing is given, and for a file that was taken back
 */
export const extend = (ctx: Ctx, id: string, { downloads, days }: More): Promise<GrantOf> =>
  ctx.tx(async (ctx) => {
    const before = await repo.lockGrant(ctx, id);
    if (!before) throw fail('NOT_FOUND', `download ${id} does not exist`);
    if (downloads === undefined && days === undefined)
      throw invalidField('downloads', 'enter how many downloads or days to add');
    if (before.revokedAt !== null)
      throw fail('VALIDATION_ERROR', 'access to this file was revoked with its refund or order', {
        details: { reason: 'INVALID_TRANSITION' },
      });
    const now = ctx.now();
    const { maxDownloads, downloadsUsed } = before;
    const after = {
      ...before,
      ...(downloads !== undefined &&
        maxDownloads !== null && {
          maxDownloads: Math.min(MOST_DOWNLOADS, Math.max(maxDownloads, downloadsUsed) + downloads),
        }),
      ...(days !== undefined &&
        before.expiresAt !== null && {
          expiresAt: later(before.expiresAt, addSeconds(now, days * SECONDS_PER_DAY)),
        }),
      updatedAt: now,
    };
    await repo.updateGrant(ctx, after);
    const { orderId, fileName, expiresAt } = after;
    const told = { orderId, fileName, maxDownloads: after.maxDownloads, expiresAt };
    await downloadEvents.tell(ctx, 'download.extended', id, told, { before, after });
    return (await grantRows.find(ctx, id)) as GrantOf;
  });

const later = (one: string, other: string): string => (one > other ? one : other);

/**
 * Gives a paid order the files that its variants have now, and had not when it was paid.
 *
 * @returns how many it got
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION, for an order that is not paid or was cancelled
 */
export const giveMissing = (ctx: Ctx, orderId: string): Promise<number> =>
  ctx.tx(async (ctx) => {
    const order = await orders.lock(ctx, orderId);
    if (order.paidAt === null || order.status === 'cancelled')
      throw fail('VALIDATION_ERROR', 'only an order that is paid has files', {
        details: { reason: 'INVALID_TRANSITION', from: order.status },
      });
    const before = (await grantsOf(ctx, order.id)).length;
    await grantPaid(ctx, order.id);
    const files = (await grantsOf(ctx, order.id)).length - before;
    if (files > 0) await downloadEvents.tell(ctx, 'download.given', order.id, { files });
    return files;
  });
