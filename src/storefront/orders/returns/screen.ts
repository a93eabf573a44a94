import { storeScreen, type Tone } from '#platform/admin/index.ts';
import { stateWords } from '../desk/index.ts';
import { returnContents } from './contents.ts';
import { StoreReasonView } from './reason-view.ts';
import { StoreReturnSummaryView } from './view.ts';

const tones: Readonly<Record<string, Tone>> = {
  requested: 'warn',
  approved: 'info',
  in_transit: 'info',
  received: 'warn',
  completed: 'ok',
};
const toneOf = ({ status }: { readonly status: string }): Tone => tones[status] ?? 'muted';
const orderLink = ({ orderId }: { readonly orderId: string }): string => `/store/orders/${orderId}`;

/** Returns in the panel. */
export const returnScreen = storeScreen(StoreReturnSummaryView, {
  path: '/store/returns',
  words: 'refund exchange send back rma',
  area: 'store',
  order: 33,
  title: ({ returnNumber }) => returnNumber,
  columns: {
    returnNumber: { label: 'Number', kind: 'code', sort: 'number' },
    orderNumber: { label: 'Order', kind: 'code', link: orderLink },
    email: { label: 'Customer' },
    units: {
      label: 'Items',
      kind: 'number',
      value: ({ items }) => items.reduce((sum, { quantity }) => sum + quantity, 0),
    },
    reason: {
      label: 'Reason',
      value: ({ items }) => [...new Set(items.map((item) => item.reason))].join(', '),
    },
    resolution: { label: 'Resolution', value: ({ resolution }) => stateWords(resolution) },
    status: { kind: 'status', tone: toneOf },
    requestedAt: { label: 'Requested', kind: 'ago', sort: 'requested' },
    returnBy: { label: 'Send by', kind: 'date', hidden: true },
    updatedAt: { label: 'Changed', kind: 'date', sort: 'updated', hidden: true },
  },
  facts: {
    status: { kind: 'status', tone: toneOf },
    orderNumber: { label: 'Order', kind: 'code', link: orderLink },
    email: { label: 'Customer' },
    resolution: { label: 'Resolution', value: ({ resolution }) => stateWords(resolution) },
    outcome: { value: ({ outcome }) => (outcome === null ? null : stateWords(outcome)) },
    exchangeOrderNumber: {
      label: 'Exchange order',
      kind: 'code',
      link: ({ exchangeOrderNumber: number }) => (number === null ? null : `/store/orders/${number}`),
    },
    returnBy: { label: 'Send by', kind: 'date' },
    carrier: {},
    trackingNumber: { label: 'Tracking', kind: 'code' },
    labelUrl: { label: 'Label', link: ({ labelUrl }) => labelUrl },
    endReason: { label: 'Reason for ending' },
    requestedAt: { label: 'Requested', kind: 'date' },
    approvedAt: { label: 'Approved', kind: 'date' },
    receivedAt: { label: 'Received', kind: 'date' },
    closedAt: { label: 'Closed', kind: 'date' },
    id: {},
  },
  tabs: {
    contents: {
      label: 'Items and messages',
      template: 'store/return-contents',
      load: (ctx, { id }) => returnContents(ctx, id),
    },
  },
  links: [
    { label: 'New return', href: '/store/returns/new', needs: 'orders:write' },
    { label: 'Return settings', href: '/store/settings/returns', needs: 'settings:read' },
    { label: 'Return reasons', href: '/store/return-reasons', needs: 'settings:read' },
  ],
  views: [
    { name: 'To decide', query: 'status=requested' },
    { name: 'On the way', query: 'status=approved,in_transit' },
    { name: 'To settle', query: 'status=received' },
  ],
  fields: {
    reason: { help: 'The customer can see it.' },
    internal: { help: 'Otherwise the customer gets it by email.' },
  },
  labels: { internal: 'Only staff read it', body: 'Message' },
  // Each has a page of its own, which shows items and amounts.
  without: ['create', 'approve', 'receive', 'refund'],
  empty: {
    text: 'Customers request returns on their order pages. Staff can create them with New return.',
    docs: 'returns',
    cli: null,
  },
});

/** Reasons of returns in the panel. */
export const reasonScreen = storeScreen(StoreReasonView, {
  path: '/store/return-reasons',
  area: 'store',
  nav: null,
  title: ({ label }) => label,
  columns: {
    label: { label: 'Reason' },
    requiresNote: { label: 'Needs a note', kind: 'flag' },
    requiresPhoto: { label: 'Needs a photo', kind: 'flag' },
    active: { label: 'Offered', kind: 'flag' },
    position: { kind: 'number', sort: 'position' },
  },
  labels: {
    label: 'Reason',
    requiresNote: 'The customer has to write a note',
    requiresPhoto: 'The customer has to send a photo',
    active: 'Offered to customers',
  },
  initial: { active: true },
  links: [{ label: 'Return settings', href: '/store/settings/returns', needs: 'settings:read' }],
  fields: { position: { help: 'Low numbers come first.' } },
  empty: {
    text: 'Customers choose a reason for their return. Add the first reason.',
    docs: 'returns',
    cli: null,
  },
});
