export { consume, type Issued, isOver, issue, look, type OpenToken, revoke } from './one-time-tokens.ts';
