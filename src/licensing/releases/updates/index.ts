export { previewCheck } from './check.ts';
export { flushCounts } from './counts.ts';
export { CheckQuery } from './schemas.ts';
