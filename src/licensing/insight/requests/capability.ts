import { capability } from '#kernel/capability.ts';
import { licenseDecisionEndpoints } from './license-endpoints.ts';
import { requestRecord } from './record.ts';
import { flushRequests, recordRequest } from './recorder.ts';

export const requests = capability({
  name: 'requests',
  adminEndpoints: licenseDecisionEndpoints,
  records: [requestRecord],
  sees: recordRequest,
  flushes: { requests: flushRequests },
});
