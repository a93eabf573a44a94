import { capability } from '#kernel/capability.ts';
import { countRequest, flushRequestHours } from './hours/counting.ts';
import { requestHourRecord } from './hours/record.ts';
import { licenseDecisionEndpoints } from './license-endpoints.ts';
import { requestRecord } from './record.ts';
import { flushRequests, recordRequest } from './recorder.ts';
import { requestResource } from './resource.ts';

export const requests = capability({
  name: 'requests',
  adminEndpoints: licenseDecisionEndpoints,
  records: [requestRecord, requestHourRecord],
  resources: [requestResource],
  sees(answer) {
    recordRequest(answer);
    countRequest(answer);
  },
  flushes: { requests: flushRequests, requestHours: flushRequestHours },
});
