import { capability } from '#kernel/capability.ts';
import { usageAdminEndpoints } from './admin-endpoints.ts';
import { usageEndpoints } from './endpoints.ts';
import { usageResource } from './resource.ts';

export const usage = capability({
  name: 'usage',
  endpoints: usageEndpoints,
  adminEndpoints: usageAdminEndpoints,
  resources: [usageResource],
});
