/** Values that options of `appctl abuse` offer; a test holds them equal to the service's own. */
import type { Flag } from '#licensing/insight/abuse/view.ts';

export const abuseRules = [
  'IP_SPREAD',
  'MACHINE_SPREAD',
  'CHURN',
  'LIMIT_HAMMER',
  'CLONED_MACHINE',
  'TRIAL_REUSE',
  'OLD_KEY_USED',
  'MANUAL',
] as const satisfies readonly Flag['rule'][];
export const flagStatuses = ['OPEN', 'CLEARED', 'CONFIRMED'] as const satisfies readonly Flag['status'][];
export const confirmActions = ['NONE', 'SUSPEND', 'REPLACE_KEY'] as const;
