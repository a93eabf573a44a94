import type { Ctx } from '#kernel/context.ts';
import type { JsonObject } from '#kernel/http/json-object.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import { noteOnTimeline } from '#licensing/publish.ts';
import { bind, extend as extendLease, findNextEnd } from '../activations/index.ts';
import { type Decision, decide, type Facts, refusal, seatsOf } from '../decision/index.ts';
import { lockAndSweep } from '../licenses/index.ts';
import { factsOf, judge, type Named, namesOf, type Standing } from '../standing/index.ts';
import type { CheckoutInput } from './schemas.ts';

/** A seat that a machine holds until its lease ends. */
export interface CheckedOut {
  message: string;
  activation: { id: string; machineId: string; leaseExpiresAt: string; metadata?: JsonObject };
  seatsUsed: number;
  seatsTotal: number;
  seatsAvailable: number;
}

/** A refusal is written and committed before it is thrown: ended leases and its line must outlive it (C15). */
type Outcome = { checkedOut: CheckedOut } | { refused: Decision };

/**
 * Takes a floating seat for a machine, or extends the lease of the seat that it holds (spec POST
 * /api/v1/license/checkout; D72 to D75, D77; licensing 5.2). An extension keeps id, name and metadata and tells nobody.
 *
 * @param input `leaseDuration` in seconds, 60 to 2,592,000
 * @throws AppError NOT_FOUND, INVALID_KEY, NOT_FLOATING, LICENSE_REVOKED, LICENSE_SUSPENDED, LICENSE_EXPIRED,
 *   SEAT_LIMIT_REACHED
 */
export async function checkout(ctx: Ctx, input: CheckoutInput): Promise<CheckedOut> {
  const names = namesOf(ctx, input.licenseKey);
  const outcome = await ctx.tx((ctx) => checkoutLocked(ctx, names, input));
  if ('refused' in outcome) throw refusal('checkout', outcome.refused);
  return outcome.checkedOut;
}

async function checkoutLocked(ctx: Ctx, names: readonly Named[], input: CheckoutInput): Promise<Outcome> {
  const { standing, now } = await lockAndSweep(ctx, names, input.machineId);
  // No history: a TRIAL is refused for its type before anybody asks whether it was used elsewhere (D70, D72).
  const facts = factsOf(
    { malformed: names.length === 0, standing },
    { leaseDuration: input.leaseDuration },
    ctx.settings.get(defaultLeaseSeconds),
  );
  const decision = judge(ctx, 'checkout', facts, now, input.machineId);
  if (!standing) return { refused: decision };
  if (!decision.allowed) return refuse(ctx, standing, facts, decision, input, now);
  const leaseExpiresAt = decision.leaseExpiresAt as string;
  const { id, metadata } = decision.repeat
    ? await extend(ctx, standing, leaseExpiresAt, now)
    : await bind(ctx, standing, input, { by: 'checkout', leaseExpiresAt, now });
  return {
    checkedOut: {
      message: decision.message,
      activation: { id, machineId: input.machineId, leaseExpiresAt, ...(metadata && { metadata }) },
      ...seatsOf(standing.used + (decision.repeat ? 0 : 1), standing.license.maxActivations),
    },
  };
}

type Held = NonNullable<Standing['activation']>;

async function extend(ctx: Ctx, standing: Standing, leaseExpiresAt: string, now: string): Promise<Held> {
  const held = standing.activation as Held;
  if (await extendLease(ctx, held.id, leaseExpiresAt, now)) return held;
  throw new Error(`lease ${held.id} was live under the lock of its license and is not any more`);
}

async function refuse(
  ctx: Ctx,
  standing: Standing,
  facts: Facts,
  decision: Decision,
  input: CheckoutInput,
  now: string,
): Promise<Outcome> {
  if (decision.code !== 'SEATS_EXHAUSTED') return { refused: decision };
  const { license, used } = standing;
  await noteOnTimeline(ctx, license.id, 'SEAT_DENIED', {
    machineId: input.machineId,
    machineName: input.machineName ?? null,
    seatsUsed: used,
    seatsTotal: license.maxActivations,
  });
  const circumstances = { nextLeaseExpiresAt: await findNextEnd(ctx, license.id, now) };
  return { refused: decide('checkout', { ...facts, circumstances }, now) };
}
