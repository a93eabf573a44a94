import { capability } from '#kernel/capability.ts';
import { on } from '#kernel/events.ts';
import { licenseSignals } from '#licensing/contract/events.ts';
import { evaluate } from './evaluate.ts';
import { abuseEvents } from './events.ts';
import { raise } from './raise.ts';

export type { FlagFilter } from './queries.ts';
export { clear, confirm, flag, get, list } from './review.ts';
export { ruleSpecs } from './rules.ts';
export { listRules, setRule } from './settings.ts';
export type { Flag, RuleSetting } from './view.ts';

export const abuse = capability({
  name: 'abuse',
  events: [abuseEvents],
  subscribers: [
    on(licenseSignals, 'LICENSE_SUSPECTED', (ctx, { subject, data }) =>
      raise(ctx, { licenseId: subject, ...data }),
    ),
  ],
  jobs: [
    {
      name: 'abuse',
      description: 'Flags licenses whose use breaks a rule of abuse detection',
      everySeconds: 300,
      run: evaluate,
    },
  ],
});
