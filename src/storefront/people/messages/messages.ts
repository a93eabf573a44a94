import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { ids } from '#storefront/contract/ids.ts';
import { messageEvents } from './events.ts';
import { messageRows } from './queries.ts';
import type { Message } from './record.ts';
import * as repo from './repository.ts';
import { MessageInput, type MessageSent } from './schemas.ts';

/**
 * Stores what somebody wrote. What a robot filled in is thrown away, and it is told the same.
 *
 * @param locale language in which the form was read
 * @throws AppError VALIDATION_ERROR
 */
export async function receive(ctx: Ctx, input: MessageSent, locale: string): Promise<void> {
  const { _hp: trap, name, subject, email, message } = checkInput(MessageInput, input);
  if (trap) return;
  await ctx.tx(async (ctx) => {
    const now = ctx.now();
    const one: Message = {
      id: ctx.newId(ids.contactMessage),
      name: name || null,
      email,
      subject: subject || null,
      message,
      locale,
      status: 'open',
      doneAt: null,
      createdAt: now,
      updatedAt: now,
    };
    await repo.insertMessage(ctx, one);
    // The log of changes says that it came, and not what it says: it stays longer than the message.
    await messageEvents.tell(ctx, 'message.received', one.id, { status: 'open' });
  });
}

/** A message. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, id: string): Promise<Message> =>
  (await messageRows.find(ctx, id)) ?? missing(id);

function missing(id: string): never {
  throw fail('NOT_FOUND', `message ${id} does not exist`);
}

/** Marks a message as done, or as open again; one that is so already stays. @throws AppError NOT_FOUND */
export async function mark(ctx: Ctx, id: string, status: Message['status']): Promise<Message> {
  return ctx.tx(async (ctx) => {
    const before = (await repo.lockMessage(ctx, id)) ?? missing(id);
    if (before.status === status) return before;
    const now = ctx.now();
    const after = { ...before, status, doneAt: status === 'done' ? now : null, updatedAt: now };
    await repo.updateMessage(ctx, after);
    const event = status === 'done' ? 'message.done' : 'message.reopened';
    await messageEvents.tell(ctx, event, id, { status }, { before, after });
    return after;
  });
}

/** Removes a message for good. @throws AppError NOT_FOUND */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = (await repo.lockMessage(ctx, id)) ?? missing(id);
    await repo.deleteMessage(ctx, id);
    await messageEvents.tell(ctx, 'message.deleted', id, { status: before.status }, { before });
  });
}
