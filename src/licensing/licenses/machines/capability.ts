import { capability } from '#kernel/capability.ts';
import { machineAdminEndpoints } from './admin-endpoints.ts';
import { machineEndpoints } from './endpoints.ts';
import { activationResource } from './resource.ts';

export const machines = capability({
  name: 'machines',
  endpoints: machineEndpoints,
  adminEndpoints: machineAdminEndpoints,
  resources: [activationResource],
});
