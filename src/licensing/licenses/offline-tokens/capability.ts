import { capability } from '#kernel/capability.ts';
import { offlineTokenEndpoints } from './endpoints.ts';
import { offlineTokenRecord } from './record.ts';

export const offlineTokens = capability({
  name: 'offline-tokens',
  endpoints: offlineTokenEndpoints,
  records: [offlineTokenRecord],
});
