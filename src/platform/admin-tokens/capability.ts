import { capability } from '#kernel/capability.ts';
import { adminTokenEvents } from './events.ts';
import { adminTokenRecord } from './record.ts';
import { adminTokenResource } from './resource.ts';

/** Bearer tokens of the admin APIs. */
export const adminTokens = capability({
  name: 'admin-tokens',
  events: [adminTokenEvents],
  records: [adminTokenRecord],
  resources: [adminTokenResource],
});
