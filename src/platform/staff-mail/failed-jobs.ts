import { addSeconds } from '#kernel/clock.ts';
import type { StaffMail } from '#kernel/mail.ts';
import { defineMail } from '../mail/index.ts';
import { failedJobs } from './queries.ts';

/** A server that was down for a moment still tells of what failed just before. */
const LOOKS_BACK_SECONDS = 900;
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
  async values(ctx, job) {
    const found = (await failedJobs(ctx, addSeconds(ctx.now(), -LOOKS_BACK_SECONDS))).find(
      (one) => one.job === job,
    );
    return found
      ? {
          job,
          reason: (found.error ?? '').slice(0, MOST_REASON),
          url: `${ctx.baseUrl}/admin/system/jobs/${encodeURIComponent(job)}`,
        }
      : null;
  },
};
