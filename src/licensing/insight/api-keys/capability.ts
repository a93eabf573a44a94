import { capability } from '#kernel/capability.ts';
import { apiKeyChecks } from './checks.ts';
import { apiKeyResource } from './resource.ts';

/** Administration of the keys that open the license API. */
export const apiKeyAdministration = capability({
  name: 'api-key-administration',
  resources: [apiKeyResource],
  checks: apiKeyChecks,
});
