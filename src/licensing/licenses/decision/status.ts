import type { LicenseStatus, LicenseType } from '#licensing/contract/enumerations.ts';

/** The last time that the stored form can hold and that still sorts as text. */
const END_OF_TIME = '9999-12-31T23:59:59.999Z';

/** The license fields that time acts on. */
export interface Dated {
  status: LicenseStatus;
  type: LicenseType;
  validUntil: string | null;
  gracePeriodSeconds: number | null;
}

/** A time `seconds` later in the stored form, at most the end of the year 9999. */
export function later(iso: string, seconds: number): string {
  const date = new Date(Math.min(Date.parse(iso) + seconds * 1000, Date.parse(END_OF_TIME)));
  return date.toISOString();
}

/**
 * The status that counts (D34): a stored ACTIVE license is EXPIRED as soon as now ≥ validUntil.
 * Times in the stored form sort as text, so no date is parsed.
 */
export const statusAt = (license: Pick<Dated, 'status' | 'validUntil'>, now: string): LicenseStatus =>
  license.status === 'ACTIVE' && license.validUntil !== null && now >= license.validUntil
    ? 'EXPIRED'
    : license.status;

const HAS_GRACE: Readonly<Record<LicenseType, boolean>> = {
  PERPETUAL: true,
  SUBSCRIPTION: true,
  FLOATING: true,
  // Grace on a trial would unlock it.
  TRIAL: false,
  BETA: false,
};

/**
 * When the grace period ends, exclusive (D35), whether or not it has begun; null when there is none.
 *
 * @param policy the effective policy; the license's own period goes before it
 */
export function graceEnd(license: Dated, policy: { gracePeriodSeconds: number } | null): string | null {
  if (license.validUntil === null || !HAS_GRACE[license.type]) return null;
  const seconds = license.gracePeriodSeconds ?? policy?.gracePeriodSeconds ?? 0;
  return seconds > 0 ? later(license.validUntil, seconds) : null;
}

/**
 * The last moment, exclusive, at which the license can be of any use: end of grace, else validUntil, else null.
 * Leases never run longer (D74).
 */
export const usableUntil = (license: Dated, policy: { gracePeriodSeconds: number } | null): string | null =>
  graceEnd(license, policy) ?? license.validUntil;
