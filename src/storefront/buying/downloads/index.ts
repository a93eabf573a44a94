export { filesInMails, filesOfOrder } from './delivered.ts';
export {
  customersGrant,
  forgetLines,
  grantAmended,
  grantPaid,
  liveGrantsOf,
  ordersGrant,
  revokeAll,
  revokeExchanged,
  revokeRefunded,
} from './grants.ts';
export {
  type DownloadLink,
  endOf,
  issueLink,
  leftOf,
  linkTo,
  linkToRelease,
  newestReleases,
} from './links.ts';
export { checkCommands, savedName } from './names.ts';
export { openDownload } from './open.ts';
export { type GrantOf, grantsOf, grantsOfCustomer, type HeldGrant } from './queries.ts';
export type { DownloadGrant } from './record.ts';
