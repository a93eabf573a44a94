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
    text: 'Use many codes to limit each to one or a few uses. Generate them with Add codes and export them as CSV.',
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
    text: 'No orders have used this promotion yet. Each order appears here with what it saved.',
    docs: 'promotions',
    cli: null,
  },
});
