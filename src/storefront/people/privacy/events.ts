import { change, defineEvents } from '#kernel/events.ts';

/** What happens to the data of customers; nobody is named. */
export const privacyEvents = defineEvents(
  'store',
  {
    'customer.erased': change<{ readonly open_orders: number }>(),
    'customer.exported': change<Record<never, never>>(),
  },
  { target: 'shop-customers' },
);
