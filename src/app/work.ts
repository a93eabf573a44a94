import { type Gathered, gather } from '#kernel/gather.ts';
import type { Metrics } from '#kernel/http/metrics.ts';
import type { HttpRuntime } from '#kernel/http/runtime.ts';
import { stopTasks } from '#kernel/jobs/task.ts';
import { createOutboxWorker, type OutboxWorker } from '#kernel/outbox/worker.ts';
import { alertHandler } from '#platform/alerts/index.ts';
import { hookHandler } from '#platform/hooks/index.ts';
import { mailHandler } from '#platform/mail/index.ts';
import { staffMailHandler } from '#platform/staff-mail/index.ts';
import { webhookHandler } from '#platform/webhooks/index.ts';
import { storeHookThens } from '#storefront/tools/hooks/index.ts';
import { startBackground } from './background.ts';
import { servedCapabilities } from './capabilities.ts';
import { type Instance, webhookServices } from './instance.ts';

/** Whether jobs and the outbox begin at once, with `lead`, or are those of the first process. */
type Leadership = 'now' | 'later' | 'never';

/** @param place `beside` where this process is not the first, `follows` where a server before it has still to end */
export function leadershipOf(
  { database }: Pick<Instance, 'database'>,
  place: { readonly beside?: object | undefined; readonly follows?: object | undefined },
): Leadership {
  if (place.beside) return 'never';
  // Several servers share a Postgres database anyway; on SQLite the one before this goes on until it has ended.
  return place.follows === undefined || database.dialect !== 'sqlite' ? 'now' : 'later';
}

interface WorkParts {
  readonly metrics: Metrics | null;
  readonly http: HttpRuntime;
  readonly leads: Leadership;
}

/** Jobs and the outbox of one process. */
export type Work = ReturnType<typeof startWork>;

/** Starts the jobs and the outbox of one process. */
export function startWork(instance: Instance, { metrics, http, leads: first }: WorkParts) {
  const { config, ctx } = instance;
  const { jobs, mails, staffMails } = gather(servedCapabilities(config));
  const outbox = createOutbox(instance, { mails, staffMails }, metrics);
  let leads = first === 'now';
  const startOutbox = () => config.jobs.enabled && outbox.start();
  if (leads) startOutbox();
  const background = startBackground(
    { ...instance, clock: instance.machineClock },
    { jobs, metrics, outbox, mayRun: () => leads && !http.state.isResting },
  );
  return {
    scheduler: background.scheduler,
    lead() {
      if (leads || first === 'never') return;
      startOutbox();
      leads = true;
    },
    rest(isResting: boolean) {
      http.state.isResting = isResting;
      outbox.rest(isResting);
    },
    outbox,
    async end() {
      await background.stop();
      await stopTasks(ctx);
      await background.scheduler.runOwn(ctx);
    },
  };
}

const createOutbox = (
  { ctx }: Instance,
  { mails, staffMails }: Pick<Gathered, 'mails' | 'staffMails'>,
  metrics: Metrics | null,
): OutboxWorker =>
  createOutboxWorker({
    ctx,
    handlers: [
      webhookHandler(webhookServices, ({ seconds, ...labels }) => metrics?.delivery(labels, seconds)),
      mailHandler(mails),
      hookHandler(storeHookThens),
      staffMailHandler(staffMails),
      alertHandler,
    ],
  });
