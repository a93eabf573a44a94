import { capability } from '#kernel/capability.ts';
import { offlineTokenEndpoints } from './endpoints.ts';

export type { IssuedTokenText } from './issue.ts';
export type { IssuedToken } from './repository.ts';
export { issue, list, plan } from './staff.ts';

export const offlineTokens = capability({ name: 'offline-tokens', endpoints: offlineTokenEndpoints });
