import { change, defineEvents } from '#kernel/events.ts';
import { type Email, emailRecord } from './record.ts';

type Told = Pick<Email, 'template'>;

/** What staff does with mails. That one is written or sent is told by its row alone. */
export const emailEvents = defineEvents(
  'platform',
  {
    EMAIL_RESENT: change<Told>(),
    EMAIL_DROPPED: change<Told>(),
    /** Somebody tried the settings. */
    EMAIL_TESTED: change<{ sent: boolean }>(),
  },
  { target: 'emails', record: emailRecord },
);
