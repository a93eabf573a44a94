import { capability } from '#kernel/capability.ts';
import { releaseChecks } from './checks.ts';
import { releaseEvents } from './events.ts';
import { releaseRecord } from './record.ts';
import { releaseResource } from './resource.ts';
import { releasePages } from './ship/pages.ts';

export const releases = capability({
  name: 'releases',
  events: [releaseEvents],
  resources: [releaseResource],
  pages: releasePages,
  checks: releaseChecks,
  records: [releaseRecord],
});
