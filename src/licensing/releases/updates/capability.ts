import { capability } from '#kernel/capability.ts';
import { flushCounts } from './counts.ts';
import { downloadEndpoints } from './download-endpoints.ts';
import { updateEndpoints } from './endpoints.ts';

export const updates = capability({
  name: 'updates',
  endpoints: [...updateEndpoints, ...downloadEndpoints],
  flushes: { releases: flushCounts },
});
