import { createHash } from 'node:crypto';
import type { Rollout } from './states.ts';

/** All of it, in basis points. */
export const FULL_ROLLOUT = 10_000;

/**
 * How far a release reaches at this moment (licensing 6.4). Paused: as far as it had come. Else as far as the last
 * step of its schedule that has come, but never less than the part that was set.
 *
 * @param now ISO 8601 UTC with milliseconds
 * @returns basis points, 0 to 10,000
 */
export function effectiveBps(rollout: Rollout, now: string): number {
  if (rollout.paused) return rollout.bps;
  const step = rollout.schedule.findLast(({ at }) => at <= now);
  return step === undefined ? rollout.bps : Math.max(rollout.bps, toBps(step.percent));
}

/**
 * Whether a release reaches a subject (licensing 6.4). The same subject always has the same place, so that a larger
 * part holds everybody that a smaller one held, and each release draws its own order.
 *
 * @param subject machine id, or id of the license
 * @param bps how far it reaches, basis points
 */
export function inRollout(releaseId: string, subject: string, bps: number): boolean {
  if (bps >= FULL_ROLLOUT) return true;
  const place = createHash('sha256').update(`${releaseId}:${subject}`).digest().readUInt32BE(0);
  return place / 2 ** 32 < bps / FULL_ROLLOUT;
}

/** @param percent 0 to 100 with at most two decimals */
export const toBps = (percent: number): number => Math.round(percent * 100);

export const toPercent = (bps: number): number => bps / 100;
