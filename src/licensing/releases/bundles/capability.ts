import { capability } from '#kernel/capability.ts';
import { bundleChecks } from './checks.ts';
import { bundleEvents } from './events.ts';
import { sweep } from './sweep.ts';

/** The stored bytes of releases (licensing 8.4, decision 0024). */
export const bundles = capability({
  name: 'bundles',
  events: [bundleEvents],
  checks: bundleChecks,
  jobs: [
    {
      name: 'bundle-sweep',
      description: 'Deletes bundles without a release for two days, and incomplete uploads',
      everySeconds: 86_400,
      waitsAfterClockStep: true,
      run: sweep,
    },
  ],
});
