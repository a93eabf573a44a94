export { AccountQuery, accountPage, shownAccount } from './frame.ts';
export { LOGIN as customerSignInPath } from './paths.ts';
export { inWords } from './refusals.ts';
