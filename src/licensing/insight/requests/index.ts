export { flushRequestHours } from './hours/counting.ts';
export { percentile } from './hours/durations.ts';
export { type Counted, listCounted } from './hours/queries.ts';
export type { RecordedRequest } from './record.ts';
export { flushRequests, recordRequest } from './recorder.ts';
export { type ExplainedRequest, get, list, type Refusal, type RequestFilter } from './requests.ts';
