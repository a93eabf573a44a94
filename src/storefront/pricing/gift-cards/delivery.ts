import type { Ctx } from '#kernel/context.ts';
import { moneyWords } from '#kernel/money-words.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { isMailAddress, queueMail } from '#platform/mail/index.ts';
import { shopNameOf } from '#storefront/contract/settings.ts';
import { hashOf, newCode, opened, shownCode } from './code.ts';
import { giftCardEvents } from './events.ts';
import { lock, nameOf, refuse, store, toldOf } from './gift-cards.ts';
import { giftCardDeliveryMail } from './mails.ts';
import { listDue } from './queries.ts';
import type { GiftCard } from './record.ts';
import * as repo from './repository.ts';
import { Resend, type ResendInput } from './schemas.ts';

const FALLBACK = 'en';
/** A language as dates and amounts are written in; programs may have said anything. */
const LOCALE = /^[a-z]{2,3}(-[a-z]{4})?(-[a-z]{2})?$/i;

/** Whether a card has somebody to whom its code can be sent. */
export const hasReader = ({ recipientEmail }: Pick<GiftCard, 'recipientEmail'>): boolean =>
  recipientEmail !== null && isMailAddress(recipientEmail);

/** @param now ISO time */
export const isDue = ({ status, sendAt }: Pick<GiftCard, 'status' | 'sendAt'>, now: string): boolean =>
  status === 'pending' && (sendAt === null || sendAt <= now);

/**
 * Delivers a pending card in the transaction that has locked it: it is active from then on. Its code is mailed and kept no
 * longer; where nobody can be written to, it stays sealed until staff know an address.
 */
export async function deliver(ctx: Ctx, before: GiftCard, norm: string): Promise<GiftCard> {
  const isMailed = hasReader(before);
  const after = await store(ctx, {
    ...before,
    status: 'active',
    deliveredAt: isMailed ? ctx.now() : null,
  });
  if (isMailed) await mail(ctx, after, norm, 'delivery');
  await giftCardEvents.tell(ctx, 'gift_card.delivered', after.id, toldOf(after), { before, after });
  return after;
}

/** @param step a second mail of the same is never written */
async function mail(ctx: Ctx, card: GiftCard, norm: string, step: string): Promise<void> {
  const locale = card.locale !== null && LOCALE.test(card.locale) ? card.locale : FALLBACK;
  const { expiresAt, balanceCents: amountCents, currency } = card;
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  await queueMail(ctx, giftCardDeliveryMail, {
    to: { address: card.recipientEmail ?? '', name: card.recipientName },
    locale,
    values: {
      code: shownCode(norm),
      amount: moneyWords({ amountCents, currency }, locale),
      message: card.message ?? '',
      sender_name: card.senderName ?? shopNameOf(ctx),
      expires_at: expiresAt === null ? '' : day.format(new Date(expiresAt)),
      balance_url: new URL('/shop/gift-cards/balance', ctx.baseUrl).href,
    },
    dedupe: `${card.id}:${step}`,
    related: { type: 'gift_card', id: card.id },
  });
  await repo.setCode(ctx, card.id, { codeHash: hashOf(ctx, norm), codeSealed: null });
}

/** Delivers cards whose time has come, each in a transaction of its own. */
export async function deliverDue(ctx: Ctx): Promise<{ delivered: number }> {
  let delivered = 0;
  for (const id of await listDue(ctx)) if (await ctx.tx((ctx) => deliverOne(ctx, id))) delivered += 1;
  return { delivered };
}

/** @returns false when it was delivered or disabled meanwhile */
async function deliverOne(ctx: Ctx, id: string): Promise<boolean> {
  const card = await repo.lockCard(ctx, id);
  const sealed = card && (await repo.sealedCode(ctx, id));
  if (!card || !sealed || !isDue(card, ctx.now())) return false;
  await deliver(ctx, card, opened(ctx, id, sealed));
  return true;
}

/**
 * Mails the code of a card once more, or one that was never mailed. A code that has reached somebody is kept nowhere: then
 * the card gets a new one, and the old one is worth nothing.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR without an address, and for a code that is kept nowhere; CONFLICT, reason
 *   INVALID_TRANSITION, for a card that is neither pending nor active
 */
export async function resend(ctx: Ctx, id: string, input: ResendInput): Promise<void> {
  const { email, rotateCode = false } = checkInput(Resend, input);
  await ctx.tx(async (ctx) => {
    const before = await lock(ctx, id);
    if (before.status !== 'active' && before.status !== 'pending')
      throw refuse(`${nameOf(before)} is ${before.status}; only active and pending cards can be sent`);
    const norm = await codeToSend(ctx, before, rotateCode);
    const addressed = { ...before, recipientEmail: email ?? before.recipientEmail };
    if (!hasReader(addressed)) throw invalidField('email', 'enter the email address to send it to');
    const wanted = { ...addressed, last4: norm.slice(-4), status: 'active', deliveredAt: ctx.now() } as const;
    const after = await store(ctx, wanted);
    await mail(ctx, after, norm, `${ctx.now()}:${after.last4}`);
    await giftCardEvents.tell(ctx, 'gift_card.delivered', id, toldOf(after), { before, after });
  });
}

async function codeToSend(ctx: Ctx, { id }: GiftCard, rotateCode: boolean): Promise<string> {
  if (rotateCode) return newCode();
  const sealed = await repo.sealedCode(ctx, id);
  if (sealed === null)
    throw invalidField('rotate_code', 'the code is no longer stored; send a new one, which replaces it');
  return opened(ctx, id, sealed);
}
