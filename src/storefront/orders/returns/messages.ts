import type { Ctx } from '#kernel/context.ts';
import { ids } from '#storefront/contract/ids.ts';
import { returnEvents } from './events.ts';
import { keepOf } from './photos.ts';
import type { ReturnMessage } from './record.ts';
import * as repo from './repository.ts';
import { held } from './returns.ts';
import { mailReturnMessage } from './send.ts';

/** What somebody writes about a return. */
export interface Writing {
  readonly body: string;
  /** Ids of photos, which the caller has made sure are theirs. */
  readonly media?: readonly string[] | undefined;
  /** Only staff read it. */
  readonly isInternal?: boolean | undefined;
}

/**
 * Adds a message to a return. What staff write to the customer is mailed.
 *
 * @throws AppError NOT_FOUND
 */
export const write = (
  ctx: Ctx,
  idOrNumber: string,
  by: 'customer' | 'staff',
  { body, media = [], isInternal = false }: Writing,
): Promise<ReturnMessage> =>
  ctx.tx(async (ctx) => {
    const { order, one } = await held(ctx, idOrNumber);
    const message: ReturnMessage = {
      id: ctx.newId(ids.returnMessage),
      returnId: one.id,
      authorType: by,
      author: by === 'staff' ? (ctx.actor.label ?? ctx.actor.kind).slice(0, 255) : null,
      body,
      media: [...media],
      isInternal: by === 'staff' && isInternal,
      createdAt: ctx.now(),
    };
    if (by === 'customer') await keepOf(ctx, order, media);
    await repo.insertMessage(ctx, message);
    await returnEvents.tell(ctx, 'return.message_added', one.id, { isInternal: message.isInternal });
    if (by === 'staff' && !message.isInternal) await mailReturnMessage(ctx, order, one, message);
    return message;
  });
