export { failedJobMail } from './failed-jobs.ts';
export { staffMailHandler } from './handler.ts';
export { readersOf } from './queries.ts';
export { tellStaff } from './tell.ts';
