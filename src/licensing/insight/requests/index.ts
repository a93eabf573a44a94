export type { RecordedRequest } from './record.ts';
export { flushRequests, recordRequest } from './recorder.ts';
export { type ExplainedRequest, get, list, type Refusal, type RequestFilter } from './requests.ts';
