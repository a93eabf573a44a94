import { capability, type Job } from '#kernel/capability.ts';
import { removerOf } from '#kernel/jobs/kept.ts';
import { idempotencyKeyRecord } from './record.ts';

const purge: Job = {
  name: 'purge-idempotency-keys',
  description: 'Removes idempotency keys, and the answers kept with them, after 24 hours',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: removerOf([idempotencyKeyRecord]),
};

/** Requests that staff may send again without doing anything twice. */
export const idempotency = capability({
  name: 'idempotency',
  records: [idempotencyKeyRecord],
  jobs: [purge],
});
