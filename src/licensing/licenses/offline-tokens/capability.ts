import { capability } from '#kernel/capability.ts';
import { offlineTokenAdminEndpoints } from './admin-endpoints.ts';
import { offlineTokenEndpoints } from './endpoints.ts';
import { offlineTokenEvents } from './events.ts';
import { offlineTokenPages } from './pages.ts';
import { offlineTokenRecord } from './record.ts';

export const offlineTokens = capability({
  name: 'offline-tokens',
  endpoints: offlineTokenEndpoints,
  adminEndpoints: offlineTokenAdminEndpoints,
  pages: offlineTokenPages,
  records: [offlineTokenRecord],
  events: [offlineTokenEvents],
});
