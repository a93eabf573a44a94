import { capability } from '#kernel/capability.ts';
import { abuseEvents } from '../abuse-flags/index.ts';
import { evaluate } from './evaluate.ts';

export type { Flag, FlagFilter } from './queries.ts';
export { clear, confirm, flag, get, list } from './review.ts';

export const abuse = capability({
  name: 'abuse',
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
