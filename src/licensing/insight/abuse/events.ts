import { change, defineEvents } from '#kernel/events.ts';
import type { AbuseRule, FlagStatus } from '#licensing/contract/enumerations.ts';
import type { Thresholds } from './rules.ts';

/** What staff change of the rules of abuse detection. */
export const abuseEvents = defineEvents(
  'license',
  {
    ABUSE_RULE_CHANGED: change<{ enabled: boolean; params: Thresholds }>(),
  },
  { target: 'abuse-rules' },
);

/** What becomes of a flag beside the timeline of its license. */
export const abuseFlagEvents = defineEvents(
  'license',
  {
    ABUSE_FLAG_RESOLVED: change<{ licenseId: string; rule: AbuseRule; status: FlagStatus }>(),
  },
  { target: 'abuse-flags' },
);
