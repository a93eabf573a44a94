export { consume, type Issued, issue, look, type OpenToken, revoke } from './one-time-tokens.ts';
