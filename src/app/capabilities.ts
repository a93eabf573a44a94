import { fulfilmentCapabilities } from '#fulfilment/index.ts';
import { type Capability, capability } from '#kernel/capability.ts';
import type { Check } from '#kernel/check.ts';
import type { Config } from '#kernel/config/config.ts';
import { dialectOf } from '#kernel/db/dialect.ts';
import { gather, requireDeclaredEvents } from '#kernel/gather.ts';
import { flushJob } from '#kernel/jobs/flush-job.ts';
import { jobMetrics } from '#kernel/jobs/job-metrics.ts';
import { sharing } from '#kernel/sharing.ts';
import { licensingCapabilities } from '#licensing/index.ts';
import { type Resource, searching } from '#platform/admin/index.ts';
import { serverAlerts } from '#platform/alerts/capability.ts';
import { certificateOrders } from '#platform/certificates/capability.ts';
import * as platform from '#platform/index.ts';
import { mailTemplates } from '#platform/mail/templates/capability.ts';
import { panel } from '#platform/panel/index.ts';
import { staffMailChoices } from '#platform/staff-mail/capability.ts';
import { testClock } from '#platform/test-clock/index.ts';
import { storefrontCapabilities } from '#storefront/index.ts';

const platformCapabilities: readonly Capability[] = Object.values(platform);

/** Every capability of the program, in the order in which they are mounted and shown. */
export const capabilities: readonly Capability[] = withFlushing([
  ...platformCapabilities,
  ...licensingCapabilities,
  ...storefrontCapabilities,
  ...fulfilmentCapabilities,
]);

requireDeclaredEvents(capabilities);

/** Those that a server of this configuration serves: a service that is switched off answers nothing and runs no job. */
export function servedCapabilities({
  features: { license, store },
  mode,
  tls,
  database,
}: Pick<Config, 'features' | 'mode'> & Partial<Pick<Config, 'tls' | 'database'>>): readonly Capability[] {
  const isTried = mode === 'development';
  const orders = tls?.acme?.isOn === true;
  const isShared = database !== undefined && dialectOf(database.url) === 'postgres';
  if (license && store && !isTried && !orders && !isShared) return capabilities;
  return served(`${license} ${store} ${isTried} ${orders} ${isShared}`, () =>
    withFlushing([
      ...platformCapabilities,
      ...(license ? licensingCapabilities : []),
      ...(store ? storefrontCapabilities : []),
      ...(license && store ? fulfilmentCapabilities : []),
      ...(isTried ? [testClock] : []),
      ...(orders ? [certificateOrders] : []),
      ...(isShared ? [serverAlerts] : []),
    ]),
  );
}

const served = sharing<string, readonly Capability[]>(new Map());

/**
 * And the job that writes what they keep in memory, the counters of requests (licensing 4.5), with the figures of all
 * of their jobs.
 */
function withFlushing(capabilities: readonly Capability[]): readonly Capability[] {
  const job = flushJob(
    {
      name: 'stats-flush',
      description: 'Writes counters, observations and request log entries from memory to the database',
      everySeconds: 10,
    },
    capabilities,
  );
  const { jobs: others, resources, waits, mails, staffMails } = gather(capabilities);
  const jobs = [...others, job];
  return [
    ...capabilities,
    searching(resources),
    mailTemplates(mails),
    staffMailChoices(staffMails),
    panel(resources as readonly Resource[], waits),
    capability({ name: 'flushing', jobs: [job], metrics: [jobMetrics(jobs)] }),
  ];
}

export const checks: readonly Check[] = capabilities.flatMap((one) => one.checks ?? []);
