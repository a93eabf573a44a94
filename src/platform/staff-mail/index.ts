export { staffMailHandler } from './handler.ts';
export { tellStaff } from './tell.ts';
