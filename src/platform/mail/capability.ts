import { allows } from '#kernel/actor.ts';
import { capability, type Job } from '#kernel/capability.ts';
import { removerOf } from '#kernel/jobs/kept.ts';
import { blockEvents } from './blocks/blocks.ts';
import { blockRecord } from './blocks/record.ts';
import { blockResource } from './blocks/resource.ts';
import { mailChecks } from './checks.ts';
import { mailEndpoints } from './endpoints.ts';
import { emailEvents } from './events.ts';
import { mailLocal } from './local.ts';
import { passwordResetMail, testMail } from './mails.ts';
import { mailMetrics } from './metrics.ts';
import { waitingEmails } from './queries.ts';
import { emailRecord } from './record.ts';
import { emailResource } from './resource.ts';
import { routeOf } from './sending/route.ts';

const purgeEmails: Job = {
  name: 'purge-emails',
  description: 'Removes emails from the list some days after they were sent or failed (email_log_days)',
  everySeconds: 86_400,
  waitsAfterClockStep: true,
  run: removerOf([emailRecord]),
};

/** Mails of the whole program: who is written to, and how what is written reaches them. */
export const mail = capability({
  ...mailLocal,
  mails: [testMail, passwordResetMail],
  events: [emailEvents, blockEvents],
  resources: [emailResource, blockResource],
  storeEndpoints: mailEndpoints,
  checks: mailChecks,
  metrics: [mailMetrics],
  records: [emailRecord, blockRecord],
  jobs: [purgeEmails],
  waits: async (ctx) => {
    if (!allows(ctx.actor, 'settings:read')) return [];
    const { count } = await waitingEmails(ctx);
    if (count === 0 || (await routeOf(ctx)).kind !== 'none') return [];
    const emails = count === 1 ? '1 email waits' : `${count} emails wait`;
    return [{ words: `${emails} for a mail server`, href: '/store/settings/email' }];
  },
});
