import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { email, text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { ids } from '#storefront/contract/ids.ts';
import { subscriberEvents } from './events.ts';
import type { Subscriber } from './record.ts';
import * as repo from './repository.ts';

const Request = z.strictObject({
  email: email(),
  locale: text({ min: 1, max: 20 }),
  /** What stood beside the button. */
  consentText: text({ min: 1, max: 1000 }),
});
export type SubscriptionRequest = z.output<typeof Request>;

/**
 * Notes that somebody wants the newsletter. Whoever asks learns nothing of an address: known or not, the answer is the
 * same. One who has left is asked anew; one who has confirmed stays as he is.
 *
 * @throws AppError VALIDATION_ERROR
 */
export async function subscribe(ctx: Ctx, input: SubscriptionRequest): Promise<void> {
  const { email, locale, consentText } = checkInput(Request, input);
  await ctx.tx(async (ctx) => {
    const now = ctx.now();
    const asked = { status: 'pending', locale, consentText, consentAt: now, updatedAt: now } as const;
    const id = ctx.newId(ids.newsletterSubscriber);
    const fresh: Subscriber = {
      id,
      email,
      ...asked,
      confirmedAt: null,
      unsubscribedAt: null,
      createdAt: now,
    };
    if (await repo.insertNew(ctx, fresh)) return tell(ctx, id);
    const before = await repo.lockByEmail(ctx, email);
    if (!before || before.status === 'confirmed') return;
    await repo.updateSubscriber(ctx, { ...before, ...asked });
    await tell(ctx, before.id);
  });
}

/** The log of changes says that somebody asked, and not who. */
const tell = (ctx: Ctx, id: string): Promise<void> =>
  subscriberEvents.tell(ctx, 'subscriber.requested', id, { status: 'pending' });

/** Removes a subscriber with the proof of his consent. @throws AppError NOT_FOUND */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = await repo.lockSubscriber(ctx, id);
    if (!before) throw fail('NOT_FOUND', `subscriber ${id} does not exist`);
    await repo.deleteSubscriber(ctx, id);
    await subscriberEvents.tell(ctx, 'subscriber.deleted', id, { status: before.status }, { before });
  });
}
