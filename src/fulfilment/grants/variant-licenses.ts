import type { Ctx } from '#kernel/context.ts';
import { newestFor, type OwnRelease } from '#licensing/releases/updates/index.ts';
import type { VariantLicense, VariantLicenses } from '#storefront/contract/extensions.ts';
import { defaultSeats } from './grants.ts';
import type { LicenseGrant } from './record.ts';
import { grantsOf } from './repository.ts';

/** The licenses that variants are sold with, for a product's page and JSON. Variants without any cost one question. */
export const licensesOfVariants: VariantLicenses = async (ctx, variantIds) => {
  const found = new Map<string, VariantLicense>();
  for (const grant of await grantsOf(ctx, variantIds)) found.set(grant.variantId, await shown(ctx, grant));
  return found;
};

async function shown(ctx: Ctx, grant: LicenseGrant): Promise<VariantLicense> {
  const release = await newestFor(ctx, grant.licenseProductId, grant.maxVersion);
  return {
    type: grant.type,
    tier: grant.tier,
    durationDays: grant.durationDays,
    maxActivations: grant.maxActivations ?? (await defaultSeats(ctx, grant.licenseProductId)),
    isBySeats: grant.quantityMode === 'seats',
    maxVersion: grant.maxVersion,
    release: release && releaseShown(release),
  };
}

const releaseShown = ({ version, publishedAt, sizeBytes, changelog }: OwnRelease) => ({
  version,
  publishedAt,
  sizeBytes,
  changelog: changelog === '' ? null : changelog,
});
