import { change, defineEvents } from '#kernel/events.ts';
import { templateRecord } from './record.ts';

interface Told {
  readonly locale: string;
}

/** What staff do with the words of mails; the audit log has the words before and after. */
export const templateEvents = defineEvents(
  'platform',
  {
    EMAIL_TEMPLATE_CHANGED: change<Told>(),
    EMAIL_TEMPLATE_RESET: change<Told>(),
    EMAIL_SWITCHED: change<{ isOn: boolean }>(),
  },
  { target: 'email-templates', record: templateRecord },
);
