import { change, defineEvents } from '#kernel/events.ts';
import { type Message, messageRecord } from './record.ts';

type Told = Pick<Message, 'status'>;

/** What happens to messages of the contact form. */
export const messageEvents = defineEvents(
  'store',
  {
    'message.received': change<Told>(),
    'message.done': change<Told>(),
    'message.reopened': change<Told>(),
    'message.deleted': change<Told>(),
  },
  { target: 'shop-messages', record: messageRecord },
);
