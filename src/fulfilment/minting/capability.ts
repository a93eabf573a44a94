import { capability } from '#kernel/capability.ts';
import { holderMails } from './holder-mails.ts';
import { retryMintsJob } from './jobs.ts';
import { endingLocal, mintingLocal } from './local.ts';
import { licenseMintRecord } from './record.ts';
import { licenseProblemMail } from './staff-mail.ts';

/** Licenses of orders, made in the transaction that has their money. */
export const licenseMinting = capability({
  ...mintingLocal,
  records: [licenseMintRecord],
  jobs: [retryMintsJob],
  mails: holderMails,
  staffMails: [licenseProblemMail],
});

/** Licenses of orders that are suspended and revoked, also while the shop sells none. */
export const licenseEnding = capability({ ...endingLocal });
