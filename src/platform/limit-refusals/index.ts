export { type LimitRefusal, list, type RefusalFilter } from './queries.ts';
export { flushRefusals, noteRefusal } from './recorder.ts';
