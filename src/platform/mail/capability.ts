import { capability, type Job } from '#kernel/capability.ts';
import { removerOf } from '#kernel/jobs/kept.ts';
import { mailLocal } from './local.ts';
import { passwordResetMail, testMail } from './mails.ts';
import { emailRecord } from './record.ts';

const purgeEmails: Job = {
  name: 'purge-emails',
  description: 'Removes emails from the list some time after they were sent or given up (email_log_days)',
  everySeconds: 86_400,
  waitsAfterClockStep: true,
  run: removerOf([emailRecord]),
};

/** Mails of the whole program: who is written to, and how what is written reaches them. */
export const mail = capability({
  ...mailLocal,
  mails: [testMail, passwordResetMail],
  records: [emailRecord],
  jobs: [purgeEmails],
});
