export { deferredToHooks } from './defer.ts';
export { hookHandler } from './handler.ts';
export { type FileRuns, runsByFile } from './queries.ts';
