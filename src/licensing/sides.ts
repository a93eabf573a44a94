import type { LicenseStatus } from './contract/enumerations.ts';
import type { LicensingEventDetails, TimelineDetails } from './contract/events.ts';

/** What of a license, of one of its machines or of one of its flags was there, and what is there now. */
export interface Sides {
  readonly before: object | null;
  readonly after: object | null;
}

type Details = LicensingEventDetails & TimelineDetails;

const made = (after: object): Sides => ({ before: null, after });
const gone = (before: object): Sides => ({ before, after: null });
const moved = (before: object, after: object): Sides => ({ before, after });

const counted = (previous: number, current: number): Sides =>
  moved({ currentUses: previous }, { currentUses: current });

/** By name, what the details of an event tell. Whoever tells of another change knows more and says so itself. */
const told: {
  readonly [N in keyof Details]?: (details: Details[N], status: LicenseStatus | undefined) => Sides;
} = {
  LICENSE_CREATED: (details, status) => made({ status, ...details }),
  LICENSE_IMPORTED: made,
  LICENSE_ACTIVATED: ({ machineId }) => made({ machineId }),
  LICENSE_DEACTIVATED: ({ machineId }) => gone({ machineId }),
  LICENSE_RENEWED: ({ previousStatus, previousValidUntil, validUntil }, status) =>
    moved({ status: previousStatus, validUntil: previousValidUntil }, { status, validUntil }),
  LICENSE_SHORTENED: ({ previousValidUntil, validUntil }) =>
    moved({ validUntil: previousValidUntil }, { validUntil }),
  LICENSE_REINSTATED: ({ previousStatus, status }) => moved({ status: previousStatus }, { status }),
  KEY_REPLACED: ({ oldKeyPrefix, newKeyPrefix }) =>
    moved({ keyPrefix: oldKeyPrefix }, { keyPrefix: newKeyPrefix }),
  SEAT_CHECKED_OUT: ({ machineId, leaseExpiresAt }) => made({ machineId, leaseExpiresAt }),
  SEAT_CHECKED_IN: ({ machineId, leaseExpiresAt }) => gone({ machineId, leaseExpiresAt }),
  LEASE_EXPIRED: ({ machineId, leaseExpiresAt }) => gone({ machineId, leaseExpiresAt }),
  USAGE_RECORDED: ({ quantity, current }) => counted(current - quantity, current),
  USAGE_RESET: ({ previous, current }) => counted(previous, current),
  USAGE_SET: ({ previous, current }) => counted(previous, current),
  ABUSE_FLAGGED: ({ flagId, rule }) => made({ flagId, rule, status: 'OPEN' }),
  ABUSE_CLEARED: ({ flagId, resolution }) =>
    moved({ flagId, status: 'OPEN' }, { flagId, status: resolution }),
};

/**
 * What the audit log compares of an event of a license.
 *
 * @param details of this event
 * @param status of the license after it, where it has one
 * @returns nothing where the details tell of no change
 */
export function sidesOf(type: keyof Details, details: object, status?: LicenseStatus): Partial<Sides> {
  const tell = told[type] as ((details: object, status: LicenseStatus | undefined) => Sides) | undefined;
  return tell?.(details, status) ?? {};
}
