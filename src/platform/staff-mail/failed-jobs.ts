import type { StaffMail } from '#kernel/mail.ts';
import { defineMail } from '../mail/index.ts';
import { lastFailure } from './queries.ts';

const MOST_REASON = 500;

const adminJobFailedMail = defineMail({
  key: 'admin_job_failed',
  placeholders: ['job', 'reason', 'url'],
  sample: {
    job: 'sync-payments',
    reason: 'the processor could not be reached',
    url: 'https://shop.example/admin/system/jobs/sync-payments',
  },
  isForStaff: true,
});

export const failedJobMail: StaffMail = {
  mail: adminJobFailedMail,
  needs: 'system:write',
  label: 'Jobs that fail',
  about: 'job',
  // However long ago it failed: a server that was down for a day tells of it when it is back.
  async values(ctx, job) {
    const found = await lastFailure(ctx, job);
    return found
      ? {
          job,
          reason: (found.error ?? '').slice(0, MOST_REASON),
          url: `${ctx.baseUrl}/admin/system/jobs/${encodeURIComponent(job)}`,
        }
      : null;
  },
};
