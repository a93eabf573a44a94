import { capability } from '#kernel/capability.ts';
import { requestRecord } from './record.ts';
import { flushRequests, recordRequest } from './recorder.ts';

export type { RecordedRequest } from './record.ts';
export { flushRequests, recordRequest } from './recorder.ts';
export type { RequestFilter } from './repository.ts';
export { type ExplainedRequest, get, list } from './requests.ts';

export const requests = capability({
  name: 'requests',
  records: [requestRecord],
  sees: recordRequest,
  flushes: { requests: flushRequests },
});
