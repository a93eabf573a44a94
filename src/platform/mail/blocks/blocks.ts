import type { Ctx } from '#kernel/context.ts';
import { change, defineEvents } from '#kernel/events.ts';
import { fail } from '#kernel/service/errors.ts';
import { type Block, blockIds, blockRecord } from './record.ts';
import * as repo from './repository.ts';

const LONGEST_REASON = 1000;

/** What happens to blocked addresses; the log says what was refused, and not to whom. */
export const blockEvents = defineEvents(
  'platform',
  {
    EMAIL_ADDRESS_BLOCKED: change<{ reason: string }>(),
    EMAIL_ADDRESS_UNBLOCKED: change<{ reason: string }>(),
  },
  { target: 'email-blocks', record: blockRecord },
);

/** Sends nothing more to an address, in the transaction that notes what its server said. */
export async function block(
  ctx: Ctx,
  { address, reason: said, emailId }: Pick<Block, 'address' | 'reason' | 'emailId'>,
): Promise<void> {
  const now = ctx.now();
  const id = ctx.newId(blockIds.emailBlock);
  const reason = [...said].slice(0, LONGEST_REASON).join('');
  const isNew = await repo.insertBlock(ctx, { id, address, reason, emailId, createdAt: now, updatedAt: now });
  if (isNew) await blockEvents.tell(ctx, 'EMAIL_ADDRESS_BLOCKED', id, { reason });
}

/** Sends to an address again from now on. @throws AppError NOT_FOUND */
export async function lift(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = await repo.lockBlock(ctx, id);
    if (!before) throw fail('NOT_FOUND', `blocked address ${id} does not exist`);
    await repo.deleteBlock(ctx, id);
    await blockEvents.tell(ctx, 'EMAIL_ADDRESS_UNBLOCKED', id, { reason: before.reason }, { before });
  });
}
