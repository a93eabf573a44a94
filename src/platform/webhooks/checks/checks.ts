import { type Check, type CheckScope, type Finding, ok, onSchema, warn } from '#kernel/check.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { counted } from '#kernel/counts.ts';
import { isOpened } from '#kernel/outbound/addresses.ts';
import { FAILURES_THAT_DISABLE } from '../deliveries/settle.ts';
import { targetRules } from '../settings.ts';
import { countOverdue, failuresSince, listDisabled, listFailing } from './queries.ts';

/** What is due is taken within a second; so long only without a server that works. */
const OVERDUE_SECONDS = 600;
/** Clouds answer here with the credentials of the machine. */
const METADATA = ['169.254.169.254', 'fd00:ec2::254'];
/** Whoever opens these has opened everything. */
const ANYWHERE = ['10.1.2.3', '127.0.0.1', '192.168.1.1', '203.0.113.1'];
const MOST_NAMED = 5;

async function checkDisabled(ctx: Ctx): Promise<Finding> {
  const disabled = await listDisabled(ctx);
  const failed = disabled.filter(({ failures }) => failures >= FAILURES_THAT_DISABLE);
  const [first] = failed;
  if (first) {
    const named = failed.slice(0, MOST_NAMED).map(({ name, reason }) => `${name} (${reason ?? 'no reason'})`);
    const more = failed.length > MOST_NAMED ? ` and ${failed.length - MOST_NAMED} more` : '';
    const found = warn(
      `disabled after failures, so their receivers get no events: ${named.join(', ')}${more}`,
      `appctl webhook test ${first.id}, then appctl webhook enable ${first.id}`,
    );
    const subjects = failed.map(({ id, name, reason }) => ({
      id,
      message: `the webhook ${name} was disabled: ${reason ?? 'no reason'}`,
      hint: `appctl webhook test ${id}, then appctl webhook enable ${id}`,
    }));
    return { ...found, subjects };
  }
  if (disabled.length === 0) return ok('no webhook is disabled');
  return ok(
    `${disabled.length} disabled by staff: ${disabled
      .slice(0, MOST_NAMED)
      .map((one) => one.name)
      .join(', ')}`,
  );
}

async function checkDeadQueue(ctx: Ctx, { serverRuns }: CheckScope): Promise<Finding> {
  const overdue = await countOverdue(ctx, addSeconds(ctx.now(), -OVERDUE_SECONDS));
  if (overdue > 0) {
    const minutes = OVERDUE_SECONDS / 60;
    return warn(
      `deliveries waiting for more than ${minutes} minutes: ${overdue}; receivers get events late`,
      serverRuns ? 'restart the server without --no-jobs' : 'appctl serve',
    );
  }
  const failures = await failuresSince(ctx, addSeconds(ctx.now(), -SECONDS_PER_DAY));
  const [most] = failures;
  if (!most) return ok('no delivery is late, and none failed in the last 24 hours');
  const total = failures.reduce((sum, { failed }) => sum + failed, 0);
  return warn(
    `failed deliveries in the last 24 hours: ${total}, to ${failures.length} of the webhooks`,
    `appctl webhook deliveries ${most.webhookId} --state FAILED --since 24h`,
  );
}

/** A receiver that refuses is found when it begins to, and not when its deliveries are given up. */
async function checkFailing(ctx: Ctx): Promise<Finding> {
  const failing = await listFailing(ctx);
  const [first] = failing;
  if (!first) return ok('no delivery waits after an attempt that failed');
  const named = failing
    .slice(0, MOST_NAMED)
    .map(({ name, waiting, error }) => `${name} (${counted(waiting, 'delivery', 'deliveries')}: ${error})`);
  const more = failing.length > MOST_NAMED ? ` and ${failing.length - MOST_NAMED} more` : '';
  return warn(
    `receivers that do not take what is sent to them: ${named.join(', ')}${more}`,
    `appctl webhook deliveries ${first.webhookId} --state PENDING`,
  );
}

function checkPrivateRanges(ctx: Ctx): Finding {
  const { openedRanges, allowHttp } = targetRules(ctx);
  const hint = 'appctl settings set webhooks.allowed_private_cidrs with the networks of your receivers only';
  if (ANYWHERE.every((address) => isOpened(address, openedRanges)))
    return warn('webhooks may reach every address, including this machine and its network', hint);
  if (METADATA.some((address) => isOpened(address, openedRanges)))
    return warn('webhooks may reach the metadata service of a cloud, which hands out credentials', hint);
  const http = allowHttp ? '; http is allowed everywhere' : '';
  if (openedRanges.length === 0) return ok(`webhooks reach public addresses only${http}`);
  return ok(`webhooks also reach ${openedRanges.join(', ')}${http}`);
}

/** What `appctl doctor` asks about outbound webhooks (cli.md section 7). */
export const webhookChecks: readonly Check[] = [
  {
    id: 'webhooks.disabled',
    title: 'webhooks disabled by failures',
    alert: 'installation',
    run: onSchema(checkDisabled),
  },
  { id: 'webhooks.failing', title: 'receivers that refuse', run: onSchema(checkFailing) },
  { id: 'webhooks.dead-queue', title: 'deliveries that wait or failed', run: onSchema(checkDeadQueue) },
  {
    id: 'webhooks.private-ranges',
    title: 'addresses that webhooks may reach',
    run: onSchema(checkPrivateRanges),
  },
];
