import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { isUnavailable } from '#kernel/db/dialect.ts';
import * as tenants from '#platform/tenants/index.ts';
import * as integrations from '../../integrations/index.ts';
import * as claims from '../claims/repository.ts';
import * as repo from '../events/repository.ts';
import { failed, ignored, type Outcome, PARTLY_UNMAPPED } from '../outcome.ts';
import { readEvent } from '../processors/processors.ts';
import { sell } from './purchase.ts';
import { refund } from './refund.ts';
import type { Work } from './work.ts';

/** After the first attempt, which is made when the event is received (D103). */
const RETRY_SECONDS = [60, 300, 1800, 7200];
export const FIRST_RETRY_SECONDS = RETRY_SECONDS[0] as number;
export const LONGEST_RETRY_SECONDS = Math.max(...RETRY_SECONDS);

export interface ProcessOptions {
  /** Whether an event that has ended is looked at again: somebody asks for it. */
  again?: boolean;
  /** Runs in the transaction that writes how the event stands. */
  note?(ctx: Ctx, outcome: Outcome): Promise<void>;
}

/**
 * Does what a stored event asks for, in one transaction of its tenant: licenses, claim, LICENSE_CREATED and the end of
 * the event (licensing 2.9, steps 5 and 6). Any number at once do it once. A failure leaves it for the retry.
 *
 * @returns how it stands; `licensesCreated` by this call
 */
export async function processEvent(ctx: Ctx, work: Work, options: ProcessOptions = {}): Promise<Outcome> {
  const own = ctx.with({ tenantId: work.config.tenantId });
  try {
    return await own.tx((ctx) => noted(ctx, options, settle(ctx, work, options)));
  } catch (error) {
    return leaveForRetry(own, work.id, error, options);
  }
}

async function noted(ctx: Ctx, { note }: ProcessOptions, settling: Promise<Outcome>): Promise<Outcome> {
  const outcome = await settling;
  await note?.(ctx, outcome);
  return outcome;
}

/**
 * As `processEvent`, for an event that is in the inbox since before.
 *
 * @throws what the database throws while it is away
 */
export async function processStored(ctx: Ctx, id: string, options: ProcessOptions = {}): Promise<Outcome> {
  const stored = await repo.findStored(ctx, id);
  if (!stored) throw new Error(`inbound event ${id} has gone`);
  const { tenantId, configId, raw, receivedAt } = stored;
  const config = await integrations.load(ctx, configId);
  const event = config && config.processor !== 'WALLET' ? readEvent(config.processor, raw) : null;
  if (config && event) return processEvent(ctx, { id, config, event, receivedAt }, options);
  const outcome = config
    ? failed('PROCESSING_FAILED', 'the stored body can no longer be read')
    : failed('CONFIG_NOT_FOUND', 'the integration has been deleted');
  const giveUp = async (ctx: Ctx): Promise<Outcome> => {
    const standing = await repo.lock(ctx, id);
    if (!isOpen(standing, options)) return standingOutcome(standing);
    await repo.end(ctx, id, outcome, standing.unmapped);
    return outcome;
  };
  return ctx.with({ tenantId }).tx((ctx) => noted(ctx, options, giveUp(ctx)));
}

async function settle(ctx: Ctx, work: Work, options: ProcessOptions): Promise<Outcome> {
  const { id, event, config } = work;
  // Names before rows: whoever holds a purchase may write the rows of its other events.
  await claims.lockPurchase(ctx, config.id, { paymentId: event.paymentId, orderId: event.namedOrderId });
  const standing = await repo.lock(ctx, id);
  if (!isOpen(standing, options)) return standingOutcome(standing);
  const { unmapped, ...outcome } = await settleOpen(ctx, work, standing);
  await repo.end(ctx, id, outcome, unmapped);
  return outcome;
}

async function settleOpen(
  ctx: Ctx,
  work: Work,
  standing: repo.Standing,
): Promise<Outcome & { unmapped: readonly string[] }> {
  const { event, config } = work;
  if (await tenants.isSuspended(ctx, config.tenantId)) {
    const outcome = failed(
      'TENANT_SUSPENDED',
      'the tenant is suspended; reprocess the event after it is resumed',
    );
    return { ...outcome, unmapped: standing.unmapped };
  }
  if (event.isOwnStore || event.kind === 'OTHER') return { ...ignored('EVENT_IGNORED'), unmapped: [] };
  return event.kind === 'PURCHASE'
    ? sell(ctx, work, standing)
    : { ...(await refund(ctx, work)), unmapped: [] };
}

/** Ended ones are looked at again only where that can change something; a whole purchase never is. */
function isOpen({ status, reason }: repo.Standing, { again = false }: ProcessOptions): boolean {
  if (status === 'RECEIVED') return true;
  return again && (status !== 'PROCESSED' || reason === PARTLY_UNMAPPED);
}

const standingOutcome = ({ status, reason }: repo.Standing): Outcome => ({
  status,
  reason,
  message: null,
  licensesCreated: 0,
});

/** The event is stored and stays due; when this cannot be written either, it is taken up at the time it was given. */
async function leaveForRetry(
  ctx: Ctx,
  id: string,
  cause: unknown,
  options: ProcessOptions,
): Promise<Outcome> {
  const level = isUnavailable(cause) ? 'warn' : 'error';
  ctx.log[level]({ err: cause, inboundEvent: id }, 'an inbound event could not be processed');
  const message = cause instanceof Error ? cause.message : String(cause);
  try {
    return await ctx.tx((ctx) => noted(ctx, options, noteFailure(ctx, id, message, isUnavailable(cause))));
  } catch (error) {
    ctx.log.warn({ err: error, inboundEvent: id }, 'the failure of an inbound event was not noted');
    return { status: 'RECEIVED', reason: null, message, licensesCreated: 0 };
  }
}

/** @param isAway whether the database is at fault: that uses up no attempt, however long it lasts (R17) */
async function noteFailure(ctx: Ctx, id: string, message: string, isAway: boolean): Promise<Outcome> {
  const standing = await repo.lock(ctx, id);
  // Reprocessing of an ended one failed: it stays as it was.
  if (standing.status !== 'RECEIVED') return { ...standingOutcome(standing), message };
  const wait = isAway ? FIRST_RETRY_SECONDS : RETRY_SECONDS[standing.attempts];
  if (wait === undefined) {
    const outcome = failed('PROCESSING_FAILED', message);
    await repo.end(ctx, id, outcome, standing.unmapped);
    return outcome;
  }
  await repo.postpone(ctx, id, standing.attempts + (isAway ? 0 : 1), addSeconds(ctx.now(), wait), message);
  return { status: 'RECEIVED', reason: null, message, licensesCreated: 0 };
}
