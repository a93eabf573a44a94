import { capability } from '#kernel/capability.ts';
import { removeOld } from './retention.ts';

/**
 * Twenty-four times as often as licensing 4.5 asks: a run is bounded, and a busy installation writes more observations
 * and recorded calls in a day than one run may remove.
 */
const EVERY_SECONDS = 3600;

export const retention = capability({
  name: 'retention',
  jobs: [
    {
      name: 'retention',
      description: 'Removes what was kept for its time: ended activations, recorded calls, observations',
      everySeconds: EVERY_SECONDS,
      waitsAfterClockStep: true,
      run: removeOld,
    },
  ],
});
