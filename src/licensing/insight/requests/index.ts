import { capability } from '#kernel/capability.ts';
import { flushRequests, recordRequest } from './recorder.ts';

export { flushRequests, recordRequest } from './recorder.ts';
export type { RecordedRequest, RequestFilter } from './repository.ts';
export { type ExplainedRequest, get, list } from './requests.ts';

export const requests = capability({
  name: 'requests',
  sees: recordRequest,
  flushes: { requests: flushRequests },
});
