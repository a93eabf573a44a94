import { type Check, type CheckScope, type Finding, ok, onSchema, skip, warn } from '#kernel/check.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { counted } from '#kernel/counts.ts';
import { countBlocks } from './blocks/queries.ts';
import { failedEmails, failingEmails, waitingEmails } from './queries.ts';
import { routeOf } from './sending/route.ts';
import { faultOf } from './sending/smtp.ts';

/** What is due is taken within a second; so long only without a server that works. */
const OVERDUE_SECONDS = 3600;
/** One address goes now and then; several on one day are a fault of the sender, or somebody makes them up. */
const MANY_BLOCKS = 10;

async function checkConfigured(ctx: Ctx, { config }: CheckScope): Promise<Finding> {
  const route = await routeOf(ctx);
  if (route.kind === 'smtp')
    return ok(`emails go to ${route.server.host}:${route.server.port}, from ${route.sender.address}`);
  if (route.kind === 'folder') return ok(`emails are written to ${route.folder} and are sent to nobody`);
  const { count } = await waitingEmails(ctx);
  const hint = 'appctl settings set smtp_host smtp.example.com';
  if (count > 0) return { ...warn(`${route.missing}; emails that wait: ${count}`, hint), isTrouble: true };
  if (config?.mode !== 'production') return skip(`${route.missing}, and no email waits`);
  return warn(`${route.missing}: invitations, password resets and messages to customers would wait`, hint);
}

async function checkConnection(ctx: Ctx): Promise<Finding> {
  const route = await routeOf(ctx);
  if (route.kind !== 'smtp') return skip('no mail server is used');
  const fault = await faultOf(route.server);
  return fault === null
    ? ok(`${route.server.host}:${route.server.port} is reachable and accepts email`)
    : warn(`emails are not sent: ${fault}`, 'appctl settings list --group email');
}

async function checkFailing(ctx: Ctx): Promise<Finding> {
  const { count, error } = await failingEmails(ctx);
  if (count === 0) return ok('no email waits after an attempt that failed');
  return warn(
    `${counted(count, 'email')} could not be sent and ${count === 1 ? 'waits' : 'wait'} for another attempt: ${error}`,
    'appctl email queue list; appctl email test --to ann@example.com',
  );
}

async function checkQueue(ctx: Ctx, { serverRuns }: CheckScope): Promise<Finding> {
  const { count, since } = await waitingEmails(ctx);
  const isLate = since !== null && since < addSeconds(ctx.now(), -OVERDUE_SECONDS);
  if (isLate)
    return warn(
      `emails that wait: ${count}, the oldest since ${since}`,
      serverRuns ? 'appctl email queue list' : 'appctl serve',
    );
  const failed = await failedEmails(ctx);
  if (failed.count > 0)
    return warn(
      `emails that were given up in the last 24 hours: ${failed.count}, the last one because ${failed.error}`,
      'appctl email queue list --status failed',
    );
  const blocks = await countBlocks(ctx, addSeconds(ctx.now(), -SECONDS_PER_DAY));
  if (blocks.lately >= MANY_BLOCKS)
    return warn(
      `addresses permanently refused in the last 24 hours: ${blocks.lately}`,
      `look at ${ctx.baseUrl}/store/settings/email-blocks`,
    );
  return ok(`emails that wait: ${count}; none failed in the last 24 hours; blocked addresses: ${blocks.all}`);
}

/** What `appctl doctor` asks about mail (cli.md section 7). */
export const mailChecks: readonly Check[] = [
  {
    id: 'mail.configured',
    title: 'email delivery',
    launch: 'Set up email and send a test',
    run: onSchema(checkConfigured),
  },
  {
    id: 'mail.connect',
    title: 'connection to the mail server',
    asksOthers: true,
    run: onSchema(checkConnection),
  },
  {
    id: 'mail.spf-hint',
    title: 'who may send email for the sender address',
    asksOthers: true,
    isAdvice: true,
    run: onSchema(async (ctx) => (await import('./spf.ts')).checkSpf(ctx)),
  },
  { id: 'mail.failing', title: 'emails whose last attempt failed', run: onSchema(checkFailing) },
  { id: 'mail.queue-age', title: 'emails that wait, failed or are blocked', run: onSchema(checkQueue) },
];
