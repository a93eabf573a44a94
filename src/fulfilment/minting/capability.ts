import { capability } from '#kernel/capability.ts';
import { holderMails } from './holder-mails.ts';
import { retryMintsJob } from './jobs.ts';
import { mintingLocal } from './local.ts';
import { licenseMintRecord } from './record.ts';
import { licenseProblemMail } from './staff-mail.ts';

/** Licenses of orders: made, suspended, brought back and revoked in the transaction of what happens to the order. */
export const licenseMinting = capability({
  ...mintingLocal,
  records: [licenseMintRecord],
  jobs: [retryMintsJob],
  mails: holderMails,
  staffMails: [licenseProblemMail],
});
