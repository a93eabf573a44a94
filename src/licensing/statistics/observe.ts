import type { Ctx } from '#kernel/context.ts';
import { heartbeatAddresses, isAlternation } from './alternation.ts';
import { type Churn, pendingTallies, see, seeDenial, type Tally, tallyOf } from './tally.ts';

/** A decision about a known license. */
export interface Observed {
  licenseId: string;
  action: string;
  allowed: boolean;
  /** Decision code. */
  code: string;
  /** The machine held an activation before. */
  repeat: boolean;
  /** Empty for none. */
  machineId: string;
  /** ISO 8601 UTC with milliseconds. */
  now: string;
}

/** Actions of the software that runs on a machine; with what it gives up it uses nothing. */
const uses = new Set([
  'validate',
  'activate',
  'checkout',
  'heartbeat',
  'record-usage',
  'validate-entitlement',
  'offline-token',
  'update',
]);
const givesUp = new Set(['deactivate', 'checkin']);

/**
 * Counts an answer of the public API, in memory alone: `flushStatistics` writes it (C13; licensing 8.6). Commands and
 * jobs are not counted, and neither are the actions of a vendor.
 */
export function observe(ctx: Ctx, seen: Observed): void {
  const { ip } = ctx.origin;
  const isUse = uses.has(seen.action);
  if (ip === null || !(isUse || givesUp.has(seen.action))) return;
  const pending = ctx.memory.of(pendingTallies);
  const { licenseId, allowed, code, machineId, now } = seen;
  const tally = tallyOf(pending, licenseId, now);
  if (!tally) return;
  count(tally, seen);
  if (isUse && machineId !== '') see(pending, tally.machines, machineId, now);
  if (!allowed) {
    seeDenial(pending, tally, code, machineId, now);
    if (seen.action === 'activate' && code === 'SEATS_EXHAUSTED')
      see(pending, tally.exhausted, minuteOf(now), now);
    return;
  }
  if (isUse) see(pending, tally.addresses, ip, now);
  if (
    seen.action === 'heartbeat' &&
    isAlternation(ctx.memory.of(heartbeatAddresses), licenseId, machineId, ip)
  )
    see(pending, tally.alternations, `${minuteOf(now)} ${machineId}`, now);
}

function count(tally: Tally, { action, allowed, repeat, now }: Observed): void {
  if (action === 'validate') tally.validations += 1;
  if (!allowed) {
    tally.denials += 1;
    return;
  }
  if (action === 'validate') tally.lastValidatedAt = now;
  else if (action === 'heartbeat') tally.heartbeats += 1;
  else if (action === 'deactivate') churnOf(tally, now).waiting += 1;
  else if (action === 'activate' && !repeat) pair(churnOf(tally, now));
}

function churnOf(tally: Tally, now: string): Churn {
  tally.churn ??= { unpaired: 0, pairs: 0, waiting: 0, at: now };
  tally.churn.at = now;
  return tally.churn;
}

function pair(churn: Churn): void {
  if (churn.waiting === 0) churn.unpaired += 1;
  else {
    churn.waiting -= 1;
    churn.pairs += 1;
  }
}

const minuteOf = (now: string): string => now.slice(14, 16);
