import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { ids } from '#licensing/contract/ids.ts';
import type { Accepted, Delivery } from '../processing/judge.ts';
import { FIRST_RETRY_SECONDS } from '../processing/process.ts';
import * as repo from './repository.ts';

/** What came of storing an event. */
export interface Stored {
  id: string;
  /** It was there before; `waits` when it is taken up again. */
  earlier: { waits: boolean } | null;
}

const LONGEST_ID = 255;
/** So long somebody is taken to be at work on an event: who made it due then would only wait for them. */
const AT_WORK_SECONDS = 2;

/** Events that are being stored, so that a thousand copies at once are one insert. */
const storing = memoryKey('inbound-storing', () => new Map<string, Promise<Stored>>());

/**
 * Puts an event into the inbox, once (D103). A repeated delivery of one that failed or waits makes it due at once.
 *
 * @throws what the database throws: the event is not stored then
 */
export async function storeEvent(
  ctx: Ctx,
  accepted: Accepted,
  delivery: Pick<Delivery, 'headers' | 'receivedAt'>,
  spooled = false,
): Promise<Stored> {
  const memory = ctx.memory.of(storing);
  const key = JSON.stringify([accepted.config.id, accepted.event.id, accepted.event.name]);
  const ahead = memory.get(key);
  if (ahead) return { id: (await ahead).id, earlier: { waits: true } };
  const mine = storeOne(ctx, accepted, delivery, spooled);
  memory.set(key, mine);
  const leave = () => memory.get(key) === mine && memory.delete(key);
  // For one that hangs nobody waits who comes later.
  const timer = setTimeout(leave, AT_WORK_SECONDS * 1000);
  try {
    return await mine;
  } finally {
    clearTimeout(timer);
    leave();
  }
}

async function storeOne(
  ctx: Ctx,
  accepted: Accepted,
  delivery: Pick<Delivery, 'headers' | 'receivedAt'>,
  spooled: boolean,
): Promise<Stored> {
  const row = rowOf(ctx, accepted, delivery, spooled);
  // Most repeats are told by a read, which waits for nobody.
  const known = await repo.findEarlier(ctx, row.configId, row.processorEventId);
  const isNew = !known && (await ctx.tx((ctx) => repo.insert(ctx, row)));
  if (isNew) return { id: row.id, earlier: null };
  const earlier = known ?? (await repo.findEarlier(ctx, row.configId, row.processorEventId));
  if (!earlier) throw new Error('an inbound event that was there is not');
  if (!isAnother(accepted, earlier)) return { id: earlier.id, earlier: await repeat(ctx, earlier) };
  return storeAs(ctx, { ...row, processorEventId: nameUnderSameId(accepted.event) });
}

/**
 * Some senders put the id of the order where that of the event belongs. What has made no license, or not yet, must not
 * swallow the purchase that follows it under the same id, nor a purchase its refund. Which of several purchases makes
 * the licenses is decided by their claim of the id.
 */
function isAnother({ event }: Accepted, earlier: repo.Earlier): boolean {
  if (event.name === earlier.eventName) return false;
  return event.kind === 'REFUND' || (event.kind === 'PURCHASE' && earlier.licensesCreated === 0);
}

/** How the inbox knows an event whose id another one has: by both names, or by their digest when they are too long. */
function nameUnderSameId({ name, id }: Accepted['event']): string {
  const named = `${name}:${id}`;
  return named.length <= LONGEST_ID ? named : sha256Hex(named);
}

async function storeAs(ctx: Ctx, row: repo.NewEvent): Promise<Stored> {
  if (await ctx.tx((ctx) => repo.insert(ctx, row))) return { id: row.id, earlier: null };
  const earlier = await repo.findEarlier(ctx, row.configId, row.processorEventId);
  if (!earlier) throw new Error('an inbound event that was there is not');
  return { id: earlier.id, earlier: await repeat(ctx, earlier) };
}

async function repeat(ctx: Ctx, earlier: repo.Earlier): Promise<{ waits: boolean }> {
  const { id, status, receivedAt, nextAttemptAt } = earlier;
  const now = ctx.now();
  const isFresh = addSeconds(receivedAt, AT_WORK_SECONDS) > now;
  const isDue = nextAttemptAt !== null && nextAttemptAt <= now;
  const mustWake = status === 'FAILED' || (status === 'RECEIVED' && !isFresh && !isDue);
  if (mustWake) await ctx.tx((ctx) => repo.makeDue(ctx, id));
  return { waits: mustWake || status === 'RECEIVED' };
}

function rowOf(
  ctx: Ctx,
  { config, event, bytes }: Accepted,
  { headers, receivedAt }: Pick<Delivery, 'headers' | 'receivedAt'>,
  spooled: boolean,
): repo.NewEvent {
  return {
    id: ctx.newId(ids.inboundEvent),
    tenantId: config.tenantId,
    configId: config.id,
    processorEventId: event.id,
    eventName: event.name,
    paymentId: event.paymentId,
    orderId: event.namedOrderId,
    raw: bytes,
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    receivedAt,
    nextAttemptAt: addSeconds(ctx.now(), FIRST_RETRY_SECONDS),
    spooled,
  };
}
