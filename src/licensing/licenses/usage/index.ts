export { reset, set } from './counter.ts';
export { clearUsageKeys, type UsageKey } from './keys/repository.ts';
export { list, show } from './queries.ts';
export { type Recorded, recordUsage } from './record.ts';
export type { UsageRecordView, UsageView } from './view.ts';
