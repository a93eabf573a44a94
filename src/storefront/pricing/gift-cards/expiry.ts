import type { Ctx } from '#kernel/context.ts';
import { giftCardEvents } from './events.ts';
import { store, toldOf } from './gift-cards.ts';
import { noteEntry } from './ledger.ts';
import { listOver } from './queries.ts';
import * as repo from './repository.ts';
import { isOver } from './rules.ts';

/** Ends cards whose time is over, each in a transaction of its own; what an order holds is left to the order. */
export async function expire(ctx: Ctx): Promise<{ expired: number }> {
  let expired = 0;
  for (const id of await listOver(ctx)) if (await ctx.tx((ctx) => expireOne(ctx, id))) expired += 1;
  return { expired };
}

/** @returns false when an order or a member of staff was faster */
async function expireOne(ctx: Ctx, id: string): Promise<boolean> {
  const before = await repo.lockCard(ctx, id);
  if (before?.status !== 'active' || before.heldCents > 0 || !isOver(before, ctx.now())) return false;
  const deltaCents = -before.balanceCents;
  const after = await store(ctx, { ...before, balanceCents: 0, status: 'expired' });
  await noteEntry(ctx, after, { type: 'expire', deltaCents });
  const told = { ...toldOf(after), deltaCents };
  await giftCardEvents.tell(ctx, 'gift_card.expired', id, told, { before, after });
  return true;
}
