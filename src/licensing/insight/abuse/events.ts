import { change, defineEvents } from '#kernel/events.ts';
import type { Thresholds } from './rules.ts';

/** What staff change of the rules of abuse detection. */
export const abuseEvents = defineEvents(
  'license',
  {
    ABUSE_RULE_CHANGED: change<{ enabled: boolean; params: Thresholds }>(),
  },
  { target: 'abuse-rules' },
);
