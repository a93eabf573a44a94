import { capability } from '#kernel/capability.ts';
import { releaseActionEndpoints } from './admin-actions.ts';
import { releaseAdminEndpoints } from './admin-endpoints.ts';
import { releaseChecks } from './checks.ts';
import { releaseEvents } from './events.ts';
import { releaseRecord } from './record.ts';

export const releases = capability({
  name: 'releases',
  events: [releaseEvents],
  adminEndpoints: [...releaseAdminEndpoints, ...releaseActionEndpoints],
  checks: releaseChecks,
  records: [releaseRecord],
});
