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
    createdAt: { label: 'Signed up', sort: 'created', hidden: true },
  },
  facts: {
    status: {},
    locale: { label: 'Language', kind: 'code' },
    consentText: { label: 'Agreed to' },
    consentAt: { label: 'Agreed', kind: 'date' },
    confirmedAt: { label: 'Confirmed', kind: 'date' },
    unsubscribedAt: { label: 'Unsubscribed', kind: 'date' },
    createdAt: { label: 'Signed up', kind: 'date' },
    id: {},
  },
  empty: {
    text: 'People who sign up at /shop/newsletter appear here, with the text they agreed to.',
    docs: 'open-a-shop',
    cli: null,
  },
});
