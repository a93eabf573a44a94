import { change, defineEvents } from '#kernel/events.ts';
import { type Subscriber, subscriberRecord } from './record.ts';

type Told = Pick<Subscriber, 'status'>;

/** What happens to subscribers of the newsletter. */
export const subscriberEvents = defineEvents(
  'store',
  {
    'subscriber.requested': change<Told>(),
    'subscriber.left': change<Told>(),
    'subscriber.deleted': change<Told>(),
  },
  { target: 'newsletter-subscribers', record: subscriberRecord },
);
