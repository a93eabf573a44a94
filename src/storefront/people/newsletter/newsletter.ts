import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { email, text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { later } from '#kernel/sharing.ts';
import { ids } from '#storefront/contract/ids.ts';
import { type ConsentSource, forgetSubscriber, noteConsent } from '../consents/index.ts';
import { subscriberEvents } from './events.ts';
import type { Subscriber } from './record.ts';
import * as repo from './repository.ts';

const Request = later(() =>
  z.strictObject({
    email: email(),
    locale: text({ min: 1, max: 20 }),
    /** What stood beside the button. */
    consentText: text({ min: 1, max: 1000 }),
  }),
);
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
    const consent = { granted: true, source: 'newsletter', text: consentText, locale } as const;
    if (await repo.insertNew(ctx, fresh)) {
      await noteConsent(ctx, { ...consent, subscriberId: id });
      return tell(ctx, id);
    }
    const before = await repo.lockByEmail(ctx, email);
    if (!before || before.status === 'confirmed') return;
    await repo.updateSubscriber(ctx, { ...before, ...asked });
    await noteConsent(ctx, { ...consent, subscriberId: before.id });
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
    await forgetSubscriber(ctx, id);
    await subscriberEvents.tell(ctx, 'subscriber.deleted', id, { status: before.status }, { before });
  });
}

/** Ends the newsletter of an address, for whoever has it. Nothing happens where it gets none. */
export const leave = (ctx: Ctx, address: string, source: ConsentSource): Promise<void> =>
  ctx.tx(async (ctx) => left(ctx, await repo.lockByEmail(ctx, address), source));

/** As `leave`, by the id that the link of a mail names. */
export const leaveById = (ctx: Ctx, id: string): Promise<void> =>
  ctx.tx(async (ctx) => left(ctx, await repo.lockSubscriber(ctx, id), 'unsubscribe'));

async function left(ctx: Ctx, before: Subscriber | null, source: ConsentSource): Promise<void> {
  if (!before || before.status === 'unsubscribed') return;
  const now = ctx.now();
  await repo.updateSubscriber(ctx, {
    ...before,
    status: 'unsubscribed',
    unsubscribedAt: now,
    updatedAt: now,
  });
  await noteConsent(ctx, { subscriberId: before.id, granted: false, source });
  await subscriberEvents.tell(ctx, 'subscriber.left', before.id, { status: 'unsubscribed' });
}
