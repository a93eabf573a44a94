import { capability } from '#kernel/capability.ts';
import { offlineTokenEndpoints } from './endpoints.ts';
import { offlineTokenRecord } from './record.ts';

export type { IssuedTokenText } from './issue.ts';
export type { IssuedToken } from './record.ts';
export { issue, list, plan } from './staff.ts';

export const offlineTokens = capability({
  name: 'offline-tokens',
  endpoints: offlineTokenEndpoints,
  records: [offlineTokenRecord],
});
