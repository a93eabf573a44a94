export { flushRequests, recordRequest } from './recorder.ts';
export type { RecordedRequest, RequestFilter } from './repository.ts';
export { type ExplainedRequest, get, list } from './requests.ts';
