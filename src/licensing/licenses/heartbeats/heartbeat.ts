import type { Ctx } from '#kernel/context.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import { see } from '../activations/index.ts';
import { type Facts, refusal } from '../decision/index.ts';
import { factsOf, judge, resolveKey } from '../standing/index.ts';
import type { HeartbeatInput } from './schemas.ts';

export interface Beat {
  /** ISO 8601 UTC; absent without a heartbeat policy (D68). */
  nextHeartbeatAt?: string;
}

/**
 * Notes that a machine is alive (spec POST /api/v1/license/heartbeat; D65, D68, D69, C14). A lease is not extended.
 *
 * The license is read outside of the transaction and not locked: a heartbeat changes nothing that seats, status or
 * usage depend on, and what ended the activation meanwhile is seen by the condition of its one UPDATE.
 *
 * @throws AppError NOT_FOUND, INVALID_KEY, LICENSE_INACTIVE (grace included, D36), NOT_ACTIVATED, in this order
 */
export async function heartbeat(ctx: Ctx, { licenseKey, machineId }: HeartbeatInput): Promise<Beat> {
  const facts = await look(ctx, licenseKey, machineId);
  const decision = judge(ctx, 'heartbeat', facts, ctx.now(), machineId);
  if (!facts.license || !decision.allowed) throw refusal('heartbeat', decision);
  const { id } = facts.license;
  const isNoted = await ctx.tx((ctx) => see(ctx, id, machineId));
  if (!isNoted) throw await endedMeanwhile(ctx, licenseKey, machineId);
  return decision.nextHeartbeatAt === undefined ? {} : { nextHeartbeatAt: decision.nextHeartbeatAt };
}

async function look(ctx: Ctx, licenseKey: string, machineId: string): Promise<Facts> {
  const resolved = await resolveKey(ctx, licenseKey, machineId, ctx.now());
  return factsOf(resolved, {}, ctx.settings.get(defaultLeaseSeconds));
}

/**
 * The refusal when the activation ended between the look and the UPDATE: a fresh look tells whether its license went
 * with it. A machine that was activated anew since then was not at the moment of the UPDATE.
 */
async function endedMeanwhile(ctx: Ctx, licenseKey: string, machineId: string) {
  const facts = { ...(await look(ctx, licenseKey, machineId)), activation: null };
  return refusal('heartbeat', judge(ctx, 'heartbeat', facts, ctx.now(), machineId));
}
