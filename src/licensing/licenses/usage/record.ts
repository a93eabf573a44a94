import { isDeepStrictEqual } from 'node:util';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import { type LicensingEventDetails, licensingEvent } from '#licensing/contract/events.ts';
import { ids } from '#licensing/contract/ids.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import { publish } from '#licensing/publish.ts';
import {
  crossedMarks,
  effectiveMaxUses,
  percentUsed,
  refusal,
  statusAt,
  type Usage,
  usageOf,
} from '../decision/index.ts';
import { addToCounter, lockFirst } from '../licenses/index.ts';
import {
  factsOf,
  judge,
  liveMachinesOf,
  type Named,
  namesOf,
  type Standing,
  subjectOf,
} from '../standing/index.ts';
import * as repo from './repository.ts';
import type { RecordUsageInput } from './schemas.ts';

export interface Recorded {
  message: string;
  usage: Usage;
  idempotent?: true;
  /** The idempotency key came with another feature, quantity or metadata before. */
  idempotentMismatch?: true;
}

const DONE = 'Usage recorded';

type Mark = Omit<LicensingEventDetails['USAGE_WARNING'], 'threshold'>;
const markEvents = {
  USAGE_WARNING: (mark: Mark) => licensingEvent('USAGE_WARNING', { ...mark, threshold: 80 }),
  USAGE_EXHAUSTED: (mark: Mark) => licensingEvent('USAGE_EXHAUSTED', { ...mark, threshold: 100 }),
};

/**
 * Counts uses of a license, all or nothing (spec POST /api/v1/license/record-usage; D36, D37, D78 to D81,
 * licensing 5.3). A repeat under the same idempotency key within 24 hours counts nothing and gets the first answer,
 * whatever became of the license since; with another body it says so too, as create does (D53). A refused call keeps
 * no key.
 *
 * @param idempotencyKey 1 to 255 characters, of this license alone; null for none
 * @throws AppError NOT_FOUND, INVALID_KEY, LICENSE_EXPIRED, LICENSE_SUSPENDED, LICENSE_REVOKED,
 *   USAGE_LIMIT_EXCEEDED with `usage` at the top level
 */
export async function recordUsage(
  ctx: Ctx,
  input: RecordUsageInput,
  idempotencyKey: string | null = null,
): Promise<Recorded> {
  const names = namesOf(ctx, input.licenseKey);
  return ctx.tx((ctx) => recordLocked(ctx, names, input, idempotencyKey));
}

async function recordLocked(
  ctx: Ctx,
  names: readonly Named[],
  input: RecordUsageInput,
  idempotencyKey: string | null,
): Promise<Recorded> {
  const standing = await lockFirst(ctx, names, '');
  const now = ctx.now();
  if (standing && idempotencyKey !== null) {
    const earlier = await findEarlier(ctx, standing.license.id, idempotencyKey, now);
    if (earlier) return replay(ctx, standing, earlier, input);
  }
  const { quantity = 1 } = input;
  const lease = ctx.settings.get(defaultLeaseSeconds);
  const facts = factsOf({ malformed: names.length === 0, standing }, { quantity }, lease);
  const decision = judge(ctx, 'record-usage', facts, now, '');
  if (!standing || !decision.allowed) throw refusal('record-usage', decision);
  return count(ctx, standing, { ...input, quantity }, idempotencyKey, now);
}

/** The call that holds this key, unless that was 24 hours ago or more (D81). */
async function findEarlier(
  ctx: Ctx,
  licenseId: string,
  key: string,
  now: string,
): Promise<repo.UsageRecord | null> {
  const earlier = await repo.findByKey(ctx, licenseId, key);
  if (!earlier || earlier.at > addSeconds(now, -SECONDS_PER_DAY)) return earlier;
  await repo.releaseKey(ctx, licenseId, key);
  return null;
}

function replay(ctx: Ctx, standing: Standing, earlier: repo.UsageRecord, input: RecordUsageInput): Recorded {
  // Nothing is decided here, so the request log hears of the license from nobody else.
  const heard = { subject: standing.license.id, tenantId: ctx.tenantId, owner: standing.product.id };
  if (ctx.origin.trail) Object.assign(ctx.origin.trail, heard);
  const usage = usageOf(earlier.counterAfter, earlier.maxUses);
  const mismatch = !isSameCall(earlier, input);
  return { message: DONE, usage, idempotent: true, ...(mismatch && { idempotentMismatch: true }) };
}

const isSameCall = (earlier: repo.UsageRecord, { feature, quantity = 1, metadata }: RecordUsageInput) =>
  earlier.feature === feature &&
  earlier.quantity === quantity &&
  // What JSON cannot tell apart, like 0 and -0, was stored as one.
  isDeepStrictEqual(earlier.metadata, metadata === undefined ? null : JSON.parse(JSON.stringify(metadata)));

async function count(
  ctx: Ctx,
  standing: Standing,
  input: RecordUsageInput & { quantity: number },
  idempotencyKey: string | null,
  now: string,
): Promise<Recorded> {
  const { id: licenseId, tenantId, currentUses } = standing.license;
  const { feature, quantity, metadata = null } = input;
  const max = effectiveMaxUses(standing.license, standing.policy);
  const counted = await addToCounter(ctx, licenseId, quantity, max, now);
  // Without a limit the rules let every call pass; the counter itself ends where numbers stop being exact.
  if (!counted) throw usedUp(currentUses, max, quantity);
  const record: repo.UsageRecord = {
    id: ctx.newId(ids.usageRecord),
    licenseId,
    tenantId,
    epoch: counted.epoch,
    feature,
    quantity,
    counterAfter: counted.current,
    maxUses: max,
    metadata,
    idempotencyKey,
    at: now,
  };
  // Sent together: on Postgres the two share one trip.
  await Promise.all([repo.insert(ctx, record), tell(ctx, standing, record)]);
  return { message: DONE, usage: usageOf(counted.current, max) };
}

const usedUp = (current: number, max: number | null, requested: number) =>
  fail('USAGE_LIMIT_EXCEEDED', undefined, {
    details: { current, max, requested },
    extra: { usage: { current, max } },
  });

/** USAGE_RECORDED, then the marks that this call crossed, in this order (D79). */
async function tell(ctx: Ctx, standing: Standing, record: repo.UsageRecord): Promise<void> {
  const { feature, quantity, counterAfter: current, maxUses: max, metadata, at } = record;
  const subject = subjectOf(standing);
  const after = {
    status: statusAt(standing.license, at),
    machineIds: liveMachinesOf(standing.license.id),
  };
  const recorded = licensingEvent('USAGE_RECORDED', { feature, quantity, current, max, metadata });
  await publish(ctx, subject, after, recorded);
  if (max === null) return;
  for (const mark of crossedMarks(current - quantity, current, max)) {
    const facts = { feature, current, max, percentUsed: percentUsed(current, max) };
    await publish(ctx, subject, after, markEvents[mark](facts));
  }
}
