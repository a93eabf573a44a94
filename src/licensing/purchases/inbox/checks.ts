import { type Check, type Finding, fail, ok, onConfig, onSchema, warn } from '#kernel/check.ts';
import { addSeconds } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Ctx } from '#kernel/context.ts';
import { inboundSpool } from './spool.ts';
import * as queries from './watch/queries.ts';

/** A retry may be due since one run of its job; what is due for longer is not taken up at all. */
const OVERDUE_SECONDS = 600;

/** What `doctor` looks at of purchases that processors reported (cli.md section 7). */
export const inboxChecks: readonly Check[] = [
  {
    id: 'inbound.spool',
    title: 'purchases waiting on disk',
    run: onConfig(checkSpool),
  },
  { id: 'inbound.failed-events', title: 'purchases that failed', run: onSchema(checkFailed) },
  { id: 'inbound.unmapped', title: 'purchases without a mapping', run: onSchema(checkUnmapped) },
];

/** The database is not asked: purchases wait here because it could not be. */
function checkSpool(config: Config): Finding {
  const { files, bad } = inboundSpool.state(config);
  const folder = inboundSpool.folderOf(config);
  if (bad > 0) {
    return fail(
      `${bad} files of ${folder} cannot be read (*.bad): each may be a purchase whose buyer has no license`,
      'read them, and ask the processor to send those events again',
    );
  }
  if (files === 0) return ok('no purchase is waiting on disk');
  return warn(
    `${files} purchases wait in ${folder} since the database was unavailable: their licenses do not exist yet`,
    'appctl jobs run spool-ingest --wait',
  );
}

async function checkFailed(ctx: Ctx): Promise<Finding> {
  const [first, ...others] = await queries.listFailed(ctx);
  if (first) {
    const text = [first, ...others]
      .map(({ name, reason, count }) => `${name}: ${count} ${reason}`)
      .join(', ');
    return warn(
      `reported purchases created no licenses (${text})`,
      `appctl integration events ${first.configId} --status FAILED`,
    );
  }
  const overdue = await queries.countWaiting(ctx, addSeconds(ctx.now(), -OVERDUE_SECONDS));
  if (overdue > 0) {
    return warn(
      `${overdue} reported purchases should have been processed by now: the job inbound-retry is not running`,
      'appctl jobs run inbound-retry --wait',
    );
  }
  return ok('no reported purchase has failed');
}

async function checkUnmapped(ctx: Ctx): Promise<Finding> {
  const [first, ...others] = await queries.listUnmapped(ctx);
  if (first) {
    const text = [first, ...others].map(({ name, count }) => `${name}: ${count}`).join(', ');
    return warn(
      `purchases of products without a mapping (${text}): their buyers have no license`,
      `appctl integration events ${first.configId} lists them; appctl integration map ${first.configId}, then replay`,
    );
  }
  const [empty] = await queries.listWithoutMapping(ctx);
  if (empty) {
    return warn(
      `nothing is mapped in ${empty.name}: no purchase that it reports makes a license`,
      `appctl integration map ${empty.configId} --external PRODUCT_ID --product SLUG`,
    );
  }
  return ok('every reported product is mapped');
}
