import { capability } from '#kernel/capability.ts';
import { validationAdminEndpoints } from './admin-endpoints.ts';
import { validationEndpoints } from './endpoints.ts';

export const validation = capability({
  name: 'validation',
  endpoints: validationEndpoints,
  adminEndpoints: validationAdminEndpoints,
});
