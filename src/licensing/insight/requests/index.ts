export type { RecordedRequest } from './record.ts';
export { flushRequests, recordRequest } from './recorder.ts';
export type { RequestFilter } from './repository.ts';
export { type ExplainedRequest, get, list } from './requests.ts';
