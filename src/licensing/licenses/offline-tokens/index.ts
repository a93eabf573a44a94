export { type IssuedTokenText, issueFor, offersTokens } from './issue.ts';
export type { IssuedToken } from './record.ts';
export { issue, list, plan } from './staff.ts';
