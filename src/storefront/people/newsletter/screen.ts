import { storeScreen } from '#platform/admin/index.ts';
import { SubscriberView } from './view.ts';

/** Subscribers of the newsletter in the panel. */
export const subscriberScreen = storeScreen(SubscriberView, {
  path: '/store/newsletter',
  area: 'store',
  order: 80,
  nav: 'Newsletter',
  title: ({ email }) => email,
  columns: {
    email: {},
    status: {},
    locale: { label: 'Language', kind: 'code' },
    consentAt: { label: 'Agreed' },
    createdAt: { label: 'First asked', sort: 'created', hidden: true },
  },
  facts: {
    status: {},
    locale: { label: 'Language', kind: 'code' },
    consentText: { label: 'Agreed to' },
    consentAt: { label: 'Agreed', kind: 'date' },
    confirmedAt: { label: 'Confirmed', kind: 'date' },
    unsubscribedAt: { label: 'Unsubscribed', kind: 'date' },
    createdAt: { label: 'First asked', kind: 'date' },
    id: {},
  },
  empty: {
    text: 'Who asks for the newsletter at /shop/newsletter is listed here, with the text that they agreed to.',
    docs: 'open-a-shop',
    cli: null,
  },
});
