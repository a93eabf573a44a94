import { capability } from '#kernel/capability.ts';
import { licenseDecisionEndpoints } from './license-endpoints.ts';
import { requestRecord } from './record.ts';
import { flushRequests, recordRequest } from './recorder.ts';
import { requestResource } from './resource.ts';

export const requests = capability({
  name: 'requests',
  adminEndpoints: licenseDecisionEndpoints,
  records: [requestRecord],
  resources: [requestResource],
  sees: recordRequest,
  flushes: { requests: flushRequests },
});
