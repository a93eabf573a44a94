import { change, defineEvents } from '#kernel/events.ts';

/** What staff do with events of processors. */
export const inboxEvents = defineEvents(
  'license',
  {
    INBOUND_EVENT_REPROCESSED: change<{
      status: string;
      reason: string | null;
      licensesCreated: number;
      note?: string;
    }>(),
    INBOUND_SAMPLE_SIGNED: change<{ externalProductId: string; orderId: string }>(),
  },
  { target: 'inbox-events' },
);
