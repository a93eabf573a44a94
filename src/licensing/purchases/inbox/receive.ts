import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { isId } from '#kernel/ids.ts';
import { within } from '#kernel/patience.ts';
import { ids } from '#licensing/contract/ids.ts';
import * as integrations from '../integrations/index.ts';
import { type LiveIntegration, touchLastEvent } from '../integrations/index.ts';
import { type Stored, storeEvent } from './events/store.ts';
import type { Outcome } from './outcome.ts';
import { type Accepted, type Delivery, judgeDelivery } from './processing/judge.ts';
import { processEvent } from './processing/process.ts';
import { noteRefusal, type Refusal } from './refusals/refusals.ts';
import {
  duplicateReply,
  type InboundReply,
  outcomeReply,
  queuedReply,
  refusedReply,
  spooledReply,
} from './replies.ts';
import { spoolDelivery } from './spool.ts';

/** A processor waits some seconds for an answer; a database that hangs must not use them up (D101). */
const LOAD_MS = 1500;
const STORE_MS = 2000;
const PROCESS_MS = 8000;

/**
 * Takes an event of a payment processor (spec POST webhooks/inbound; D101 to D116): verify, parse, keep, then create
 * the licenses. What cannot be kept in the database is kept on the disk.
 *
 * @returns the body of a 200, also for what is refused
 * @throws AppError SERVER_ERROR with status 503 when the event could be kept nowhere: the processor sends it again
 */
export async function receive(ctx: Ctx, sent: Omit<Delivery, 'receivedAt'>): Promise<InboundReply> {
  const delivery = { ...sent, receivedAt: ctx.now() };
  if (!isId(ids.integration, sent.configId)) {
    return refuse(ctx, null, { reason: 'CONFIG_NOT_FOUND', detail: 'this is not an id' }, sent.ip);
  }
  let config: LiveIntegration | null;
  try {
    config = await within(LOAD_MS, integrations.load(ctx, sent.configId));
  } catch (error) {
    return keepOnDisk(ctx, delivery, error);
  }
  const judged = judgeDelivery(config, delivery, ctx);
  if ('reason' in judged) return refuse(ctx, config, judged, sent.ip);
  if (ctx.origin.trail) ctx.origin.trail.tenantId = judged.config.tenantId;
  let stored: Stored;
  try {
    stored = await within(STORE_MS, storeEvent(ctx, judged, delivery));
  } catch (error) {
    return keepOnDisk(ctx, delivery, error);
  }
  // It is kept now: whatever goes wrong from here on is made good later, and the answer is 200.
  return stored.earlier
    ? duplicateReply(stored.earlier.waits)
    : processNow(ctx, judged, stored.id, delivery.receivedAt);
}

async function refuse(
  ctx: Ctx,
  config: LiveIntegration | null,
  refusal: Refusal,
  ip: string,
): Promise<InboundReply> {
  await noteRefusal(ctx, config, refusal, ip);
  return refusedReply(refusal.reason);
}

async function processNow(
  ctx: Ctx,
  { config, event }: Accepted,
  id: string,
  receivedAt: string,
): Promise<InboundReply> {
  try {
    const outcome = await within(PROCESS_MS, processEvent(ctx, { id, config, event, receivedAt }));
    noteOutcome(ctx, outcome);
    await within(LOAD_MS, touchLastEvent(ctx, config.id)).catch(() => undefined);
    return outcomeReply(outcome);
  } catch (error) {
    ctx.log.warn({ err: error, inboundEvent: id }, 'an inbound event waits to be processed');
    return queuedReply();
  }
}

function noteOutcome(ctx: Ctx, { status, reason }: Outcome): void {
  const { trail } = ctx.origin;
  if (trail && status === 'FAILED' && reason !== null) trail.decision = { code: reason, denied: true };
}

/** With an integration in memory the signature is checked now, else when the database is back (D101). */
async function keepOnDisk(ctx: Ctx, delivery: Delivery, cause: unknown): Promise<InboundReply> {
  const config = integrations.cached(ctx, delivery.configId);
  const judged = config && judgeDelivery(config, delivery, ctx);
  if (judged && 'reason' in judged) return refuse(ctx, config, judged, delivery.ip);
  if ('fault' in delivery.raw) {
    return refusedReply(delivery.raw.fault === 'TOO_LARGE' ? 'TOO_LARGE' : 'MALFORMED');
  }
  try {
    await spoolDelivery(ctx, delivery, delivery.raw.bytes, judged !== null);
  } catch (error) {
    ctx.log.error({ err: error, cause, inbound: delivery.configId }, 'an inbound event could not be kept');
    throw new AppError('SERVER_ERROR', 503, 'The event could not be stored; send it again');
  }
  ctx.log.warn({ err: cause, inbound: delivery.configId }, 'an inbound event was kept on the disk');
  return spooledReply();
}
