import { capability } from '#kernel/capability.ts';
import { flushCounts } from './counts.ts';
import { downloadEndpoints } from './download-endpoints.ts';
import { updateEndpoints } from './endpoints.ts';

export { previewCheck } from './check.ts';
export { flushCounts } from './counts.ts';
export { CheckQuery } from './schemas.ts';

export const updates = capability({
  name: 'updates',
  endpoints: [...updateEndpoints, ...downloadEndpoints],
  flushes: { releases: flushCounts },
});
