import { type Capability, capability } from '#kernel/capability.ts';
import type { TableRecord } from '#kernel/db/record.ts';
import { remover } from './retention.ts';

/**
 * Twenty-four times as often as licensing 4.5 asks: a run is bounded, and a busy installation writes more observations
 * and recorded calls in a day than one run may remove.
 */
const EVERY_SECONDS = 3600;

/** @param records those of the whole service; asked for when the job runs first */
export const retentionOf = (records: () => readonly TableRecord[]): Capability =>
  capability({
    name: 'retention',
    jobs: [
      {
        name: 'retention',
        description: 'Removes ended activations, recorded calls and observations past their retention period',
        everySeconds: EVERY_SECONDS,
        waitsAfterClockStep: true,
        run: remover(records),
      },
    ],
  });
