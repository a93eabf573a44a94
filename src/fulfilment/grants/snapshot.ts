import type { Ctx } from '#kernel/context.ts';
import type { CartLimits, Snapshot, SnapshotOf } from '#storefront/contract/extensions.ts';
import { mostUnits } from './grants.ts';
import type { LicenseGrant } from './record.ts';
import * as repo from './repository.ts';

/** What was sold with a line of an order: the grant as it was when the order was made. */
export type SoldLicense = Omit<LicenseGrant, 'variantId' | 'createdAt' | 'updatedAt'>;

const KIND = 'license';

/** The license that a line was sold with; null for a line without one. */
export const soldLicense = (fulfilment: Snapshot | null): SoldLicense | null =>
  fulfilment?.kind === KIND ? (fulfilment.license as SoldLicense) : null;

/** The license that a line makes last longer; null for a line that is sold with a new one. */
export const renewedLicense = (fulfilment: Snapshot | null): string | null =>
  typeof fulfilment?.renews === 'string' ? fulfilment.renews : null;

const byVariant = async <T>(
  ctx: Ctx,
  variantIds: readonly string[],
  what: (grant: LicenseGrant) => T | Promise<T>,
): Promise<ReadonlyMap<string, Exclude<T, null>>> => {
  const found = new Map<string, Exclude<T, null>>();
  for (const grant of await repo.grantsOf(ctx, variantIds)) {
    const value = await what(grant);
    if (value !== null) found.set(grant.variantId, value as Exclude<T, null>);
  }
  return found;
};

/** Copies the grants of variants into the lines of an order that is made (fulfilment section 4). */
export const licenseSnapshots: SnapshotOf = (ctx, variantIds) => byVariant(ctx, variantIds, snapshotOf);

const snapshotOf = ({
  variantId: _id,
  createdAt: _made,
  updatedAt: _at,
  ...license
}: LicenseGrant): Snapshot => ({ kind: KIND, license });

/**
 * What a line of a cart keeps that makes a license last longer; what is sold with it is read when it is ordered.
 *
 * @param line `shown` is read with it, in the language of whoever buys; `least`: fewer units renew only a part of the seats
 */
export const renewalSnapshot = (
  licenseId: string,
  line: { readonly shown: string; readonly least: number },
): Snapshot => ({ renews: licenseId, ...line });

export const licenseCartLimits: CartLimits = (ctx, variantIds) =>
  byVariant(ctx, variantIds, (grant) => mostUnits(ctx, grant));
