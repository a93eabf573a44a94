import type { LicenseMint } from './record.ts';

/** Why the license service ends or suspends a license (licensing 2.12), as it is kept with its row. */
export const REASONS = {
  refund: 'REFUND',
  return: 'RETURN',
  dispute: 'DISPUTE',
  cancelled: 'ORDER_CANCELED',
} as const;

/** Whether a unit was given back: its money went back, whatever became of its license. */
export const isRefunded = ({ status, reason }: LicenseMint): boolean =>
  status === 'kept' || reason === REASONS.refund;

/** Whether the license of a unit, or its renewal, is still to be made. */
export const isMissing = ({ status }: Pick<LicenseMint, 'status'>): boolean =>
  status === 'pending' || status === 'failed';

/** Whether a unit is still part of the order. */
export const isOrdered = (mint: LicenseMint): boolean =>
  !(mint.wanted === 'revoked' && mint.reason === REASONS.cancelled);

/**
 * Whose licenses go with units that nobody names: those that something has suspended for this already, those that were
 * never made, then those with the fewest machines, and of these the last ones (fulfilment section 5).
 *
 * @param used machines in use, by license
 * @param holdRef what may have suspended them: a return
 */
export const chosen = (
  mints: readonly LicenseMint[],
  count: number,
  used: ReadonlyMap<string, number>,
  holdRef: string | null = null,
): LicenseMint[] => {
  const isHeld = (mint: LicenseMint): boolean => holdRef !== null && mint.holdRef === holdRef;
  const machines = ({ licenseId }: LicenseMint): number =>
    licenseId === null ? -1 : (used.get(licenseId) ?? 0);
  return mints
    .toSorted(
      (one, other) =>
        Number(isHeld(other)) - Number(isHeld(one)) ||
        machines(one) - machines(other) ||
        other.unitNo - one.unitNo,
    )
    .slice(0, Math.max(0, count));
};
