import { adminResource } from '#platform/admin/index.ts';
import { remove } from './newsletter.ts';
import { subscriberRows } from './queries.ts';
import type { Subscriber } from './record.ts';
import { subscriberScreen } from './screen.ts';
import { SubscriberView, subscriberView } from './view.ts';

/** Subscribers of the newsletter, for staff. */
export const subscriberResource = adminResource<Subscriber>({
  name: 'newsletter-subscribers',
  labels: { one: 'subscriber', many: 'subscribers' },
  about: 'Newsletter subscribers and the consent they gave',
  needs: { read: 'customers:read', write: 'customers:write' },
  screen: subscriberScreen,
  rows: subscriberRows,
  remove: {
    level: 'moderate',
    summary: 'Remove a subscriber and the proof of their consent',
    isBulk: true,
    run: remove,
  },
  apis: [
    {
      surface: 'store',
      path: '/newsletter-subscribers',
      item: 'subscriber',
      type: 'NewsletterSubscriber',
      view: SubscriberView,
      toView: subscriberView,
    },
  ],
});
