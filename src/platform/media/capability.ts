import { capability } from '#kernel/capability.ts';
import { mediaChecks } from './checks.ts';
import { mediaEvents } from './events.ts';
import { mediaRecord } from './record.ts';
import { storedChecks } from './stored-checks.ts';

/** Pictures that were uploaded, and the sizes of them that pages show. */
export const media = capability({
  name: 'media',
  events: [mediaEvents],
  records: [mediaRecord],
  checks: [...mediaChecks, ...storedChecks],
});
