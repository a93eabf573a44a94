export { jobRows, taskRows } from './queries.ts';
