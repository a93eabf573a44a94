import { personOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { ids } from '#storefront/contract/ids.ts';
import { lockCustomer } from './change.ts';
import { shopCustomerEvents } from './events.ts';
import type { CustomerNote } from './record.ts';
import * as repo from './repository.ts';

/** Adds a note that only staff read. @throws AppError NOT_FOUND */
export async function addNote(ctx: Ctx, customerId: string, body: string): Promise<CustomerNote> {
  return ctx.tx(async (ctx) => {
    await lockCustomer(ctx, customerId);
    const { id, label } = personOf(ctx.actor);
    const note: CustomerNote = {
      id: ctx.newId(ids.customerNote),
      customerId,
      adminUserId: ctx.actor.kind === 'staff' ? id : null,
      actor: label ?? ctx.actor.kind,
      body,
      createdAt: ctx.now(),
    };
    await repo.insertNote(ctx, note);
    // The log says that it was written, and not what it says of somebody.
    await shopCustomerEvents.tell(ctx, 'customer.noted', customerId, {});
    return note;
  });
}

/** Removes a note for good. @throws AppError NOT_FOUND by its caller, who has read it */
export async function removeNote(ctx: Ctx, { id, customerId }: CustomerNote): Promise<void> {
  await ctx.tx(async (ctx) => {
    await repo.deleteNote(ctx, id);
    await shopCustomerEvents.tell(ctx, 'customer.note_removed', customerId, {});
  });
}
