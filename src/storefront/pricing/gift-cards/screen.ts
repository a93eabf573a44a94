import { moneyWords } from '#kernel/money-words.ts';
import { storeScreen, type Tone } from '#platform/admin/index.ts';
import { asAmount } from '#storefront/contract/amount-field.ts';
import { adjustTab } from './adjust-page.ts';
import { GiftCardEntryView, GiftCardView } from './view.ts';

const tones: Readonly<Record<string, Tone>> = { active: 'ok', pending: 'info', disabled: 'bad' };
const toneOf = ({ status }: { readonly status: string }): Tone => tones[status] ?? 'muted';

const words = (amountCents: number, currency: string): string => moneyWords({ amountCents, currency }, 'en');

const typeWords = {
  issue: 'Issued',
  redeem: 'Order payment',
  refund: 'Refunded',
  adjust: 'Adjusted',
  expire: 'Expired',
  reverse: 'Reversed',
} as const;

/** Gift cards in the panel. */
export const giftCardScreen = storeScreen(GiftCardView, {
  path: '/store/gift-cards',
  words: 'voucher balance',
  area: 'store',
  order: 65,
  title: ({ last4 }) => `•••• ${last4}`,
  columns: {
    last4: { label: 'Code', kind: 'code', value: ({ last4 }) => `•••• ${last4}` },
    balance: {
      label: 'Balance',
      kind: 'number',
      value: ({ balanceCents, currency }) => words(balanceCents, currency),
      sort: 'balance',
    },
    initial: {
      label: 'Initial balance',
      kind: 'number',
      value: ({ initialCents, currency }) => words(initialCents, currency),
      hidden: true,
    },
    status: { kind: 'status', tone: toneOf },
    recipientEmail: { label: 'Recipient' },
    expiresAt: { label: 'Expires', kind: 'date', sort: 'expires' },
    createdAt: { label: 'Issued', kind: 'date', sort: 'created' },
    deliveredAt: { label: 'Delivered', kind: 'date', hidden: true },
  },
  facts: {
    last4: { label: 'Code', kind: 'code', value: ({ last4 }) => `•••• ${last4}` },
    status: { kind: 'status', tone: toneOf },
    balance: { label: 'Balance', value: ({ balanceCents, currency }) => words(balanceCents, currency) },
    held: { label: 'Reserved for orders', value: ({ heldCents, currency }) => words(heldCents, currency) },
    initial: {
      label: 'Initial balance',
      value: ({ initialCents, currency }) => words(initialCents, currency),
    },
    expiresAt: { label: 'Expires', kind: 'date' },
    recipientEmail: { label: 'Recipient email' },
    recipientName: { label: 'Recipient' },
    message: {},
    orderNumber: {
      label: 'Bought with order',
      kind: 'code',
      link: ({ orderNumber }) => (orderNumber === null ? null : `/store/orders/${orderNumber}`),
    },
    sendAt: { label: 'Send at', kind: 'date' },
    deliveredAt: { label: 'Delivered', kind: 'date' },
    note: {},
    createdAt: { label: 'Issued', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  labels: {
    amountCents: 'Amount',
    recipientEmail: 'Recipient email',
    recipientName: 'Recipient name',
    expiresAt: 'Expires',
    code: 'Gift card code',
    send: 'Email the code now',
    sendAt: 'Email the code at',
    rotateCode: 'Send a new code',
  },
  fields: {
    amountCents: { written: asAmount, example: '50.00' },
    message: { kind: 'textarea', help: 'The recipient can see it.' },
    expiresAt: {
      help: "Leave empty for the setting's default when issuing, or for no expiration when editing.",
    },
    note: { help: 'Only staff see it.' },
    reason: { help: 'For the audit log.' },
    send: { help: 'The recipient gets the code immediately.' },
    sendAt: { help: 'The recipient gets the code at that time and cannot use the card earlier.' },
    email: { help: "Leave empty for the recipient's email address." },
    rotateCode: {
      help: 'The card gets a new code and the old one stops working. Needed once a code was emailed or shown.',
    },
  },
  sections: {
    create: [
      { title: 'Gift card', fields: ['amountCents', 'expiresAt', 'note'] },
      { title: 'Recipient', fields: ['recipientEmail', 'recipientName', 'message', 'send', 'sendAt'] },
    ],
  },
  // The form of its tab does it, and shows the balance before and after.
  without: ['adjust'],
  verdicts: {
    resend: () => ({
      text: 'The gift card was sent. If you chose a new code, the old one no longer works.',
      isGood: true,
    }),
  },
  undo: { disable: 'enable' },
  tabs: {
    adjust: {
      label: 'Adjust balance',
      template: 'store/gift-card-adjust',
      needs: 'gift_cards:write',
      when: ({ status }) => status === 'active' || status === 'redeemed',
      load: (ctx, { id }) => adjustTab(ctx, id),
    },
    ledger: {
      label: 'Ledger',
      of: 'shop-gift-card-ledger',
      named: ({ id }) => ({ giftCardId: id }),
    },
  },
  views: [
    { name: 'Active', query: 'status=active' },
    { name: 'Waiting to be sent', query: 'status=pending' },
  ],
  links: [{ label: 'Gift card settings', href: '/store/settings/gift-cards', needs: 'settings:read' }],
  empty: {
    text: 'Customers pay with the code of a gift card. Issue the first one with New gift card.',
    docs: 'gift-cards',
    cli: null,
  },
});

/** Changes of a balance in the panel. */
export const giftCardEntryScreen = storeScreen(GiftCardEntryView, {
  path: '/store/gift-cards/{giftCardId}/ledger',
  area: 'store',
  nav: null,
  title: ({ id }) => id,
  columns: {
    createdAt: { label: 'When', kind: 'date', sort: 'created' },
    type: { label: 'What', value: ({ type }) => typeWords[type] },
    delta: {
      label: 'Change',
      kind: 'number',
      value: ({ deltaCents, currency }) => signed(deltaCents, currency),
    },
    balance: {
      label: 'Balance after',
      kind: 'number',
      value: ({ balanceAfterCents, currency }) => words(balanceAfterCents, currency),
    },
    order: {
      label: 'Order',
      kind: 'code',
      value: ({ orderNumber, orderId }) => orderNumber ?? orderId,
      link: ({ orderNumber }) => (orderNumber === null ? null : `/store/orders/${orderNumber}`),
    },
    actor: { label: 'By' },
    note: {},
  },
  empty: {
    text: 'The balance of this gift card has not changed yet.',
    docs: 'gift-cards',
    cli: null,
  },
});

const signed = (cents: number, currency: string): string =>
  `${cents > 0 ? '+' : ''}${words(cents, currency)}`;
