import { capability } from '#kernel/capability.ts';
import { evaluate } from './evaluate.ts';
import { abuseEvents } from './events.ts';
import { abuseLocal } from './local.ts';

export const abuse = capability({
  ...abuseLocal,
  events: [abuseEvents],
  jobs: [
    {
      name: 'abuse',
      description: 'Flags licenses whose use breaks a rule of abuse detection',
      everySeconds: 300,
      run: evaluate,
    },
  ],
});
