import { capability } from '#kernel/capability.ts';
import { hearDownloads } from './continued.ts';
import { flushCounts } from './counts.ts';
import { downloadEndpoints } from './download-endpoints.ts';
import { updateEndpoints } from './endpoints.ts';

export const updates = capability({
  name: 'updates',
  endpoints: [...updateEndpoints, ...downloadEndpoints],
  start: async (ctx) => hearDownloads(ctx),
  flushes: { releases: flushCounts },
});
