import type { Ctx } from '#kernel/context.ts';
import { localMinute } from '#kernel/local-time.ts';
import type { StaffMail } from '#kernel/mail.ts';
import { alertsEmail, defineMail } from '../mail/index.ts';
import type { Alert } from './record.ts';
import * as repo from './repository.ts';

const sample = {
  title: 'age of the last backup',
  message: 'the last verified backup is of 2026-03-01T03:00:00.000Z: 3 days old',
  hint: 'appctl jobs history backup',
  since: '2026-03-04 03:05 UTC',
  url: 'https://shop.example/admin/system',
};

const placeholders = ['title', 'message', 'hint', 'since', 'url'] as const;

const staffMail = (key: string, label: string): StaffMail => ({
  mail: defineMail({ key, placeholders, sample, isForStaff: true }),
  needs: 'system:write',
  label,
  about: 'alert',
  recipients: ({ settings }) => settings.get(alertsEmail),
  async values(ctx, id) {
    const alert = await repo.find(ctx, id);
    return alert && valuesOf(ctx, alert);
  },
});

const valuesOf = ({ baseUrl }: Ctx, { title, message, hint, createdAt }: Alert) => ({
  title,
  message,
  hint: hint ?? '',
  since: localMinute(new Date(createdAt)),
  url: `${baseUrl}/admin/system`,
});

export const alertBegunMail = staffMail('admin_alert', 'Alerts about the system');
export const alertOverMail = staffMail('admin_alert_over', 'Alerts that are over');
