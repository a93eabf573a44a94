export { progressOf, TaskProgress } from './progress.ts';
export { jobRows, taskRows } from './queries.ts';
