import type { ActivationFacts, LicenseFacts, PolicyFacts } from './facts.ts';
import { later, usableUntil } from './status.ts';

/** Whether an activation counts: not ended and, for a lease, not run out (D75). */
export const isLive = (activation: ActivationFacts | null, now: string): activation is ActivationFacts =>
  activation !== null && (activation.leaseExpiresAt === null || activation.leaseExpiresAt > now);

/** Seats of a license (D27): `seatsTotal` is maxActivations, which may have been lowered below the use (D61). */
export function seatsOf(used: number, maxActivations: number) {
  return { seatsUsed: used, seatsTotal: maxActivations, seatsAvailable: Math.max(0, maxActivations - used) };
}

/**
 * End of a new or extended lease (D73, D74): now + duration, never earlier than before, capped at the end of the
 * license and its grace.
 *
 * @param seconds duration; when undefined the policy's default, else the setting's
 * @param previous end of the lease that is extended, or null
 */
export function leaseEnd(
  lease: { seconds: number | undefined; previous: string | null; defaultSeconds: number },
  license: LicenseFacts,
  policy: PolicyFacts | null,
  now: string,
): string {
  const seconds = lease.seconds ?? policy?.defaultLeaseDuration ?? lease.defaultSeconds;
  const wanted = later(now, seconds);
  const end = lease.previous !== null && lease.previous > wanted ? lease.previous : wanted;
  const cap = usableUntil(license, policy);
  return cap !== null && cap < end ? cap : end;
}
