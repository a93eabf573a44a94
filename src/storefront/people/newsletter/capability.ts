import { capability } from '#kernel/capability.ts';
import { subscriberEvents } from './events.ts';
import { subscriberRecord } from './record.ts';
import { subscriberResource } from './resource.ts';

/** Who wants the newsletter of the shop. */
export const shopNewsletter = capability({
  name: 'shop-newsletter',
  events: [subscriberEvents],
  resources: [subscriberResource],
  records: [subscriberRecord],
});
