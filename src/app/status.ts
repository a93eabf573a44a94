import { buildInfo } from '#kernel/build-info.ts';
import { systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { counted } from '#kernel/counts.ts';
import { databaseSize } from '#kernel/db/condition.ts';
import { list as listJobs } from '#kernel/jobs/repository.ts';
import { localMinute } from '#kernel/local-time.ts';
import { explainRefusals } from '#licensing/insight/limit-refusals/index.ts';
import { countAll } from '#licensing/insight/totals/index.ts';
import { countWaiting, inboundSpool } from '#licensing/purchases/inbox/index.ts';
import { findOwner } from '#platform/accounts/index.ts';
import { countQueues, judgeProcesses } from '#platform/health/index.ts';
import { failedEmails, failingEmails } from '#platform/mail/index.ts';
import { listFailing } from '#platform/webhooks/index.ts';
import { certificateOf, certificateWarnings } from './certificate-status.ts';
import type { Instance } from './instance.ts';
import type { ServerStatus } from './server-report.ts';
import type { Status } from './status-view.ts';

const NO_QUEUE = { webhooks: 0, emails: 0, inboundSpool: 0, dead: 0 };
const NO_COUNTS = { licenses: 0, products: 0, customers: 0, activations: 0 };

/**
 * How an installation is, with what is wrong in words. It takes any schema.
 *
 * @param server what the running one says of itself; null when none runs
 */
export async function collectStatus(
  instance: Pick<Instance, 'config' | 'ctx' | 'database' | 'migrator'>,
  server: ServerStatus | null,
): Promise<Status> {
  const { database, migrator, ctx } = instance;
  const { applied, pending, unknown } = await migrator.status();
  // Tables that a migration has yet to make cannot be counted.
  const isCurrent = pending.length === 0;
  const owner = isCurrent ? await findOwner(ctx) : null;
  const queue = isCurrent ? await countAllQueues(ctx) : NO_QUEUE;
  // An older server that still runs does not report any.
  const processes: ServerStatus['workers'] | null = server?.workers ?? null;
  const certificate = server?.certificate ?? certificateOf(instance.config);
  const warnings = [
    ...(server ? [] : ['no server is running on this data directory']),
    ...(server?.isResting ? ['drained: no jobs, webhooks or mail; appctl drain --off'] : []),
    ...(processes ? processWarnings(processes) : []),
    ...(pending.length > 0 ? [`${counted(pending.length, 'migration')} pending: appctl migrate up`] : []),
    ...(unknown.length > 0 ? ['a newer appctl changed the schema'] : []),
    ...(isCurrent && !owner ? ['no owner yet: appctl setup'] : []),
    ...(queue.dead > 0 ? [`${counted(queue.dead, 'delivery', 'deliveries')} failed`] : []),
    ...(isCurrent ? await failing(ctx) : []),
    ...(isCurrent ? await refusalWarnings(ctx) : []),
    ...certificateWarnings(instance.config, certificate),
    ...(instance.config.rateLimit.enabled ? [] : ['every rate limit is off']),
  ];
  return {
    version: server?.version ?? buildInfo().version,
    running: server !== null,
    pid: server?.pid ?? null,
    uptimeSec: server?.uptimeSec ?? null,
    url: server?.url ?? null,
    workers: processes && { serving: processes.serving, wanted: processes.wanted },
    db: {
      kind: database.dialect,
      version: await database.version(),
      sizeBytes: await databaseSize(database),
    },
    migrations: { applied: applied.length, pending: pending.length },
    queue,
    certificate,
    lastBackupAt: (await lastBackup(instance.config, isCurrent ? ctx : null))?.createdAt ?? null,
    counts: isCurrent ? await countAll(ctx) : NO_COUNTS,
    warnings,
  };
}

/** Other than an operator who is alerted, whoever looks is told at once that one has yet to begin. */
function processWarnings(processes: ServerStatus['workers']): string[] {
  const { status, message, hint } = judgeProcesses(processes, systemClock.epochMs());
  if (status !== 'ok') return [`${message}: ${hint}`];
  return processes.serving < processes.wanted ? [`${message}: appctl logs --level error`] : [];
}

/** Loaded with the first question: a server that nobody asks does without it. */
const lastBackup = async (config: Instance['config'], ctx: Ctx | null) =>
  (await import('#platform/backup/index.ts')).newestBackup(config, ctx);

/** What goes wrong at this moment, each with the command that shows the cause. */
async function failing(ctx: Ctx): Promise<string[]> {
  const emails = await failingEmails(ctx);
  const given = await failedEmails(ctx);
  const hooks = await listFailing(ctx);
  const jobs = (await listJobs(ctx)).filter(({ enabled, lastStatus }) => enabled && lastStatus === 'failed');
  const [hook] = hooks;
  const [job] = jobs;
  const waiting = hooks.reduce((sum, one) => sum + one.waiting, 0);
  return [
    ...(emails.count > 0
      ? [
          `${counted(emails.count, 'email')} failed and will be tried again: ${emails.error}; appctl email queue list`,
        ]
      : []),
    ...(given.count > 0
      ? [
          `${counted(given.count, 'email')} failed for good: ${given.error}; appctl email queue list --status failed`,
        ]
      : []),
    ...(hook
      ? [
          `${counted(waiting, 'webhook delivery', 'webhook deliveries')} failed: ${hook.name}: ${hook.error}; appctl webhook deliveries ${hook.webhookId} --state PENDING`,
        ]
      : []),
    ...(job
      ? [
          `${counted(jobs.length, 'job')} failed: ${job.name}: ${job.lastError}; appctl jobs list --state failed`,
        ]
      : []),
  ];
}

const MOST_REFUSALS = 3;

async function refusalWarnings(ctx: Ctx): Promise<string[]> {
  const found = await explainRefusals(ctx);
  const lines = found.slice(0, MOST_REFUSALS).map(({ count, who, bucket, limit, firstAt, command }) => {
    const since = localMinute(new Date(firstAt));
    return `the ${bucket} limit (${limit}) refused ${counted(count, 'request')} of ${who} since ${since}: ${command}`;
  });
  const more = found.length - lines.length;
  return more > 0
    ? [...lines, `limits refused ${more} more clients: appctl doctor license.rate-limits`]
    : lines;
}

/** What processors reported waits in the inbox, and on the disk when the database was away. */
const countAllQueues = async (ctx: Ctx): Promise<Status['queue']> => ({
  ...(await countQueues(ctx)),
  inboundSpool: (await countWaiting(ctx)) + inboundSpool.depth(ctx),
});
