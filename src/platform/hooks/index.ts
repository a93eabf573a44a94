export { deferredToHooks } from './defer.ts';
export { type HookThen, hookHandler } from './handler.ts';
export { type FileRuns, runsByFile } from './queries.ts';
export { writeRuns } from './runs.ts';
