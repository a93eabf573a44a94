import { z } from 'zod';
import { action, adminResource, answering, beside } from '#platform/admin/index.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { resend } from './delivery.ts';
import * as giftCards from './gift-cards.ts';
import { issue, requireReader } from './issue.ts';
import { type EntryOf, entryRows, giftCardRows } from './queries.ts';
import type { GiftCard } from './record.ts';
import { Disabling, GiftCardAdjustment, GiftCardCreate, GiftCardUpdate, Resend } from './schemas.ts';
import { giftCardEntryScreen, giftCardScreen } from './screen.ts';
import { GiftCardEntryView, GiftCardView, giftCardEntryView, giftCardViews } from './view.ts';

const needs = {
  read: 'gift_cards:read',
  orRead: 'orders:read',
  write: 'gift_cards:write',
  orWrite: 'orders:write',
} as const;
/** Of an action. */
const changes = { needs: needs.write, or: needs.orWrite } as const;
const Bare = z.strictObject({});
const Sent = z.object({ sent: z.literal(true) }).meta({ id: 'GiftCardSent' });

/** Gift cards for staff (storefront-api.md, AA). */
export const giftCardResource = adminResource<GiftCard, typeof GiftCardCreate, typeof GiftCardUpdate>({
  name: 'shop-gift-cards',
  labels: { one: 'gift card', many: 'gift cards' },
  about: 'Gift cards, their balances and all balance changes',
  needs,
  screen: giftCardScreen,
  rows: giftCardRows,
  create: {
    schema: GiftCardCreate,
    summary: 'Issue a gift card; its code is shown once',
    beside: { code: z.string().describe('Shown only once; anyone who has it can pay with the card') },
    run: async (ctx, { send = false, ...input }) => {
      if (send || input.sendAt !== undefined) requireReader(input.recipientEmail);
      const state = send || input.sendAt !== undefined ? 'pending' : 'active';
      const currency = ctx.settings.get(currencyCode);
      const { card, code } = await issue(ctx, { ...input, currency, state });
      return beside(card, { code });
    },
  },
  edit: {
    schema: GiftCardUpdate,
    hasVersion: false,
    summary: 'Change the recipient, expiration or note of a gift card',
    run: giftCards.change,
  },
  actions: {
    adjust: action<GiftCard, typeof GiftCardAdjustment>({
      label: 'Adjust balance',
      summary: 'Raise or lower the balance of a gift card, but not below what orders reserve',
      ...changes,
      level: 'moderate',
      where: 'row',
      input: GiftCardAdjustment,
      when: ({ status }) => status === 'active' || status === 'redeemed',
      run: giftCards.adjust,
    }),
    disable: action<GiftCard, typeof Disabling>({
      label: 'Disable',
      summary: 'Disable a gift card; it can be enabled again',
      ...changes,
      level: 'moderate',
      where: 'row',
      input: Disabling,
      when: ({ status }) => status === 'active' || status === 'pending',
      run: giftCards.disable,
    }),
    enable: action<GiftCard, typeof Bare>({
      label: 'Enable',
      summary: 'Enable a disabled gift card',
      ...changes,
      level: 'mild',
      where: 'row',
      input: Bare,
      when: ({ status }) => status === 'disabled',
      run: (ctx, id) => giftCards.enable(ctx, id),
    }),
    resend: answering<GiftCard, typeof Sent, typeof Resend>({
      label: 'Send by email',
      summary: 'Email the code of a gift card; once it was emailed, only a new code can be sent',
      ...changes,
      level: 'moderate',
      where: 'row',
      input: Resend,
      output: Sent,
      when: ({ status }) => status === 'active' || status === 'pending',
      run: async (ctx, id, input) => {
        await resend(ctx, id, input);
        return { sent: true };
      },
    }),
  },
  palette: {
    title: (card) => `Gift card ${card.last4}`,
    hint: ({ recipientEmail }) => recipientEmail,
  },
  apis: [
    {
      surface: 'store',
      path: '/gift-cards',
      item: 'giftCard',
      type: 'GiftCard',
      view: GiftCardView,
      toViews: giftCardViews,
      without: ['bulk'],
    },
  ],
});

/** Each change of a balance, for staff. */
export const giftCardEntryResource = adminResource<EntryOf>({
  name: 'shop-gift-card-ledger',
  labels: { one: 'balance change', many: 'balance changes' },
  about: 'Balance changes of a gift card',
  needs,
  screen: giftCardEntryScreen,
  rows: entryRows,
  apis: [
    {
      surface: 'store',
      path: '/gift-cards/{giftCardId}/ledger',
      parent: {
        name: 'giftCardId',
        filter: 'giftCardId',
        find: async (ctx, id) => (await giftCards.get(ctx, id)).id,
      },
      item: 'entry',
      type: 'GiftCardEntry',
      view: GiftCardEntryView,
      toView: giftCardEntryView,
      without: ['get', 'bulk'],
    },
  ],
});
