import { capability } from '#kernel/capability.ts';
import { eventStreamEndpoints } from './admin-endpoints.ts';
import { eventResource } from './resource.ts';

/** What staff reads of the timeline. */
export const timeline = capability({
  name: 'timeline',
  resources: [eventResource],
  adminEndpoints: eventStreamEndpoints,
});
