import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { isRehearsal } from '#kernel/rehearse.ts';
import { conflict, invalidField } from '#kernel/service/errors.ts';
import { queueAgain } from '../deliveries/changes.ts';
import type { DeliveryState } from '../record.ts';
import type { WebhookService } from '../service.ts';
import type { Delivery } from '../webhook.ts';
import { type ChangeOptions, tell } from './change.ts';
import { noDelivery } from './errors.ts';
import * as queries from './queries.ts';
import { get } from './webhooks.ts';

/** Writers of events wait for a transaction of this one at most a few milliseconds. */
const PER_TRANSACTION = 100;
const MOST_AT_ONCE = 1000;
/** As many as the API gives out on pages: a larger range is replayed by its parts. */
const MOST_OF_A_RANGE = 100_000;
const ONE_MILLISECOND = 0.001;

/** What became of a call that sends several deliveries again. */
export interface ReplayReport {
  queued: number;
  /** Those that were left alone, each with the reason. */
  skipped: { id: string; code: string; reason: string }[];
}

/**
 * Sends one delivery again: the same bytes, the current secret, attempt 1 anew, on a disabled webhook too. It does not
 * count toward the failures that disable (D120; admin: replay).
 *
 * @throws AppError NOT_FOUND; CONFLICT for one that is still on its way, and for a test
 */
export function replayOne(
  ctx: Ctx,
  service: WebhookService,
  id: string,
  options: ChangeOptions = {},
): Promise<Delivery> {
  return ctx.tx(async (ctx) => {
    const delivery = await queries.lockDelivery(ctx, service.name, id);
    if (delivery === null) throw noDelivery(id);
    if (delivery.isTest)
      throw conflict(`${id} was a test`, `appctl webhook test ${delivery.webhookId} sends another`);
    if (delivery.state === 'PENDING')
      throw conflict(`${id} is still being delivered`, `appctl webhook deliveries show ${id}`);
    await queueAgain(ctx, delivery);
    const webhook = await get(ctx, service, delivery.webhookId);
    const data = { delivery: id, event: delivery.event, queued: 1 };
    await tell(ctx, webhook, { type: 'WEBHOOK_REPLAYED', data }, options.note);
    return (await queries.findDelivery(ctx, service.name, id)) ?? delivery;
  });
}

/**
 * Sends several deliveries again, each on its own: one that may not be is explained and costs only itself.
 *
 * @param ids at most 1,000
 * @throws AppError VALIDATION_ERROR for too many
 */
export async function replay(
  ctx: Ctx,
  service: WebhookService,
  ids: readonly string[],
  options: ChangeOptions = {},
): Promise<ReplayReport> {
  if (ids.length > MOST_AT_ONCE) throw invalidField('ids', `must have at most ${MOST_AT_ONCE} entries`);
  const report: ReplayReport = { queued: 0, skipped: [] };
  for (const id of ids) {
    try {
      await replayOne(ctx, service, id, options);
      report.queued += 1;
    } catch (error) {
      report.skipped.push({ id, ...refusalOf(error) });
    }
  }
  return report;
}

/** What a range holds and which of it is wanted. */
export interface ReplayRange extends queries.DeliveryFilter {
  webhookId: string;
  /** Those that ended so; all that ended when left out. */
  states?: readonly Exclude<DeliveryState, 'PENDING'>[] | undefined;
  /** At most so many, the oldest first. */
  limit?: number | undefined;
}

export interface RangeReport {
  queued: number;
  /** Of the range, still on their way and therefore left alone. */
  pending: number;
  /** Beyond the limit. */
  left: number;
}

/**
 * Sends the deliveries of a range again, as replayOne does, in the order of their events. Tests are no part of a range.
 * It works in small transactions: a call that is cut short has queued a part, and made again it goes on with those that
 * have ended since.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for an event that does not exist, an empty range, or a bad limit
 */
export async function replayRange(
  ctx: Ctx,
  service: WebhookService,
  range: ReplayRange,
  options: ChangeOptions = {},
): Promise<RangeReport> {
  const { webhookId, limit = MOST_OF_A_RANGE, ...wanted } = range;
  await get(ctx, service, webhookId);
  // What happens from now on is no part of it, or a busy server would never come to its end; this moment is.
  const filter = { ...wanted, to: wanted.to ?? addSeconds(ctx.now(), ONE_MILLISECOND) };
  checkRange(service, filter, limit);
  const { ended, pending } = await queries.countRange(ctx, webhookId, filter);
  const queued = isRehearsal(ctx)
    ? Math.min(limit, ended)
    : await queueRange(ctx, service, webhookId, { filter, limit, note: options.note });
  return { queued, pending, left: Math.max(0, ended - queued) };
}

async function queueRange(
  ctx: Ctx,
  service: WebhookService,
  webhookId: string,
  { filter, limit, note }: { filter: queries.DeliveryFilter; limit: number; note: ChangeOptions['note'] },
): Promise<number> {
  const place = { at: filter.from ?? '', id: '' };
  let queued = 0;
  for (;;) {
    const wanted = Math.min(PER_TRANSACTION, limit - queued);
    const rows = wanted === 0 ? [] : await ctx.tx((ctx) => queueNext(ctx, place, wanted));
    queued += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < wanted) return queued;
    Object.assign(place, { at: last.createdAt, id: last.id });
  }

  async function queueNext(ctx: Ctx, after: typeof place, most: number): Promise<Delivery[]> {
    const rows = await queries.lockRange(ctx, webhookId, filter, after, most);
    for (const row of rows) await queueAgain(ctx, row);
    if (rows.length > 0) {
      const webhook = await get(ctx, service, webhookId);
      const data = { queued: rows.length, from: rows[0]?.createdAt, to: rows.at(-1)?.createdAt };
      await tell(ctx, webhook, { type: 'WEBHOOK_REPLAYED', data }, note);
    }
    return rows;
  }
}

function checkRange(service: WebhookService, { from, to, events }: queries.DeliveryFilter, limit: number) {
  if (from !== undefined && to !== undefined && from >= to)
    throw invalidField('from', 'must be before the end of the range');
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_OF_A_RANGE)
    throw invalidField('limit', `must be a whole number from 1 to ${MOST_OF_A_RANGE}`);
  for (const event of events ?? []) {
    if (!service.events.some(({ name }) => name === event))
      throw invalidField('events', `${event} is not an event`);
  }
}

function refusalOf(error: unknown): { code: string; reason: string } {
  if (error instanceof AppError) return { code: error.code, reason: error.message };
  throw error;
}
