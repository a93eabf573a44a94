import type { Ctx } from '#kernel/context.ts';
import { ids } from '#storefront/contract/ids.ts';
import type { GiftCard, GiftCardEntry } from './record.ts';
import * as repo from './repository.ts';

type About = Pick<GiftCardEntry, 'type' | 'deltaCents'> &
  Partial<Pick<GiftCardEntry, 'orderId' | 'refundId' | 'note'>>;

/** Notes a change of a balance. @param card as it is after it @returns the id of its row */
export async function noteEntry(
  ctx: Ctx,
  { id, balanceCents }: Pick<GiftCard, 'id' | 'balanceCents'>,
  about: About,
): Promise<string> {
  const entry: GiftCardEntry = {
    id: ctx.newId(ids.giftCardEntry),
    giftCardId: id,
    balanceAfterCents: balanceCents,
    actor: (ctx.actor.label || ctx.actor.kind).slice(0, 255),
    orderId: null,
    refundId: null,
    note: null,
    ...about,
    createdAt: ctx.now(),
  };
  await repo.insertEntry(ctx, entry);
  return entry.id;
}
