import { storeScreen } from '#platform/admin/index.ts';
import { fields } from './form.ts';
import { PromotionCodeView, RedemptionView } from './view.ts';
import { moneyOr, usesOf } from './words.ts';

/** The generated codes of a promotion in the panel. */
export const promotionCodeScreen = storeScreen(PromotionCodeView, {
  path: '/store/promotions/{promotionId}/codes',
  area: 'store',
  nav: null,
  title: ({ code }) => code,
  columns: {
    code: { kind: 'code' },
    uses: { label: 'Uses', value: usesOf, sort: 'used' },
    state: {
      label: 'Status',
      kind: 'status',
      value: ({ disabledAt }) => (disabledAt === null ? 'active' : 'disabled'),
      tone: ({ disabledAt }) => (disabledAt === null ? 'ok' : 'muted'),
    },
    expiresAt: { label: 'Valid until', kind: 'date' },
    createdAt: { label: 'Created', kind: 'date', sort: 'created' },
  },
  fields: { ...fields, usageLimit: { help: 'Empty: one.' } },
  labels: { usageLimit: 'Uses of each code' },
  empty: {
    text: 'Many codes, each for one use or a few. Generate them here; the export is a CSV file.',
    docs: 'promotions',
    cli: null,
  },
});

/** What orders took of a promotion, in the panel. */
export const redemptionScreen = storeScreen(RedemptionView, {
  path: '/store/promotions/{promotionId}/redemptions',
  area: 'store',
  nav: null,
  title: ({ orderId }) => orderId,
  columns: {
    orderId: { label: 'Order', kind: 'code' },
    email: {},
    code: { kind: 'code' },
    amount: {
      label: 'Saved',
      kind: 'number',
      value: ({ amountCents, currency }) => moneyOr(amountCents, currency),
      sort: 'amount',
    },
    status: { kind: 'status' },
    at: { label: 'When', kind: 'date', sort: 'created' },
  },
  empty: {
    text: 'Each order that used the promotion, with what it saved. No order has used it yet.',
    docs: 'promotions',
    cli: null,
  },
});
