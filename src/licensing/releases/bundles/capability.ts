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
      description:
        'Deletes stored bundles that no release has had for two days, and uploads that were broken off',
      everySeconds: 86_400,
      waitsAfterClockStep: true,
      run: sweep,
    },
  ],
});
