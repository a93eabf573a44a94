import { type Check, type Finding, fail, ok, onSchema, warn } from '#kernel/check.ts';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import { missingOf } from '../../minting/index.ts';
import * as queries from './queries.ts';

const SHOWN = 5;
const HINT = 'appctl jobs run retry-mints; open failures are on the order pages in the panel, under Licenses';
const FAILED_HINT =
  'appctl store order show NUMBER shows why; they are retried every hour, or right away on the order page under Licenses';
/** The job that tries again runs each minute, and waits an hour at most between two tries. */
const LATE_SECONDS = 7200;

const named = (ids: readonly string[]): string =>
  ids.length <= SHOWN ? ids.join(', ') : `${ids.slice(0, SHOWN).join(', ')} and more`;

const about = (what: string, ids: readonly string[]): string[] =>
  ids.length === 0 ? [] : [`${what} ${named(ids)}`];

/** Whether licenses and orders agree (fulfilment section 11). */
async function agreement(ctx: Ctx): Promise<Finding> {
  if (!ctx.settings.get(featureSettings.licenses_enabled)) return ok('the shop sells no licenses');
  const problems = [
    ...about('licenses were not created for the paid orders', await ordersMissing(ctx)),
    ...about('the license is missing, or belongs to another order, for', await strangers(ctx)),
    ...about('several units share the license', await queries.listTwice(ctx)),
    ...about('a change is waiting and is not retried for', await queries.listIdle(ctx, late(ctx))),
  ];
  if (problems.length > 0) return fail(problems.join('; '), HINT);
  const failed = await queries.ordersFailed(ctx);
  return failed.length === 0
    ? ok('each paid order has its licenses, and each license its order')
    : warn(`licenses could not be created yet for the paid orders ${named(failed)}`, FAILED_HINT);
}

const late = (ctx: Ctx): string => addSeconds(ctx.now(), -LATE_SECONDS);

/** Paid orders with units that have neither a license nor a row that waits for one. */
async function ordersMissing(ctx: Ctx): Promise<string[]> {
  const found: string[] = [];
  for await (const ids of queries.suspects(ctx)) {
    for (const id of ids) {
      const waits = await queries.isWaiting(ctx, id);
      if (!waits && (await missingOf(ctx, id)).length > 0) found.push(id);
    }
    if (found.length > SHOWN) break;
  }
  return found;
}

/** Rows whose license is not there any more, or is not that of their order. */
async function strangers(ctx: Ctx): Promise<string[]> {
  const found: string[] = [];
  for await (const rows of queries.madeRows(ctx)) {
    const cards = await licenses.cardsOf(ctx, { ids: rows.map(({ licenseId }) => licenseId) });
    const orderIds = new Map(cards.map(({ id, orderId }) => [id, orderId]));
    for (const { id, licenseId, orderNumber } of rows)
      if (orderIds.get(licenseId) !== orderNumber) found.push(id);
    if (found.length > SHOWN) break;
  }
  return found;
}

/** Whether what was sold with a license was delivered. */
export const licenseChecks: readonly Check[] = [
  { id: 'store.licenses', title: 'licenses of orders', isLong: 'daily', run: onSchema(agreement) },
];
