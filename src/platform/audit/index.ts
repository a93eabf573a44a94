export { auditor } from './auditor.ts';
