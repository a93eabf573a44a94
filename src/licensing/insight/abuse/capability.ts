import { capability } from '#kernel/capability.ts';
import { abuseRuleAdminEndpoints } from './admin-endpoints.ts';
import { evaluate } from './evaluate.ts';
import { abuseEvents, abuseFlagEvents } from './events.ts';
import { abuseLocal } from './local.ts';
import { abuseFlagResource } from './resource.ts';
import { rulesPage } from './thresholds/page.ts';

export const abuse = capability({
  ...abuseLocal,
  events: [abuseEvents, abuseFlagEvents],
  resources: [abuseFlagResource],
  pages: [rulesPage],
  adminEndpoints: abuseRuleAdminEndpoints,
  jobs: [
    {
      name: 'abuse',
      description: 'Flags licenses whose use matches an abuse detection rule',
      everySeconds: 300,
      run: evaluate,
    },
  ],
});
