import { type Capability, capability } from '#kernel/capability.ts';
import type { StaffMail } from '#kernel/mail.ts';
import { failedJobMail } from './failed-jobs.ts';
import { staffMailPage } from './pages.ts';
import { choiceRecord } from './record.ts';
import { webhookDisabledMail } from './webhook-disabled.ts';

/** Mails to members of staff about the program itself. */
export const staffMail = capability({
  name: 'staff-mail',
  staffMails: [webhookDisabledMail, failedJobMail],
  records: [choiceRecord],
});

/** Where members of staff say which of all mails to staff they want. @param mails of the whole program */
export const staffMailChoices = (mails: readonly StaffMail[]): Capability =>
  capability({ name: 'staff-mail-choices', pages: [staffMailPage(mails)] });
