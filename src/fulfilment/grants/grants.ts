import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { referring } from '#kernel/service/referring.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { getVariant, lockProduct } from '#storefront/catalog/products/index.ts';
import { licenseDefaultOnRefund } from '#storefront/contract/license-settings.ts';
import { licenseGrantEvents } from './events.ts';
import type { LicenseGrant } from './record.ts';
import * as repo from './repository.ts';
import { GrantInput, type GrantInputType } from './schemas.ts';

const toldOf = ({ licenseProductId, type, tier }: LicenseGrant) => ({ licenseProductId, type, tier });

/** The license that a variant is sold with; null when it is sold without one. @throws AppError NOT_FOUND */
export async function getGrant(ctx: Ctx, variantId: string): Promise<LicenseGrant | null> {
  await getVariant(ctx, variantId);
  return repo.grantOf(ctx, variantId);
}

/**
 * Says with what license a variant is sold from now on; orders that are made already keep theirs (fulfilment section 4).
 *
 * @param input its license product may be a slug, its policy a name
 * @throws AppError NOT_FOUND for an unknown variant; VALIDATION_ERROR for a product that is not sold any more, an unknown
 *   policy, a term that is missing
 */
export async function setGrant(ctx: Ctx, variantId: string, input: GrantInputType): Promise<LicenseGrant> {
  const given = checkInput(GrantInput, input);
  return ctx.tx(async (ctx) => {
    await getVariant(ctx, variantId);
    const product = await sellable(ctx, given.licenseProductId);
    const policyId = await policyOf(ctx, given.policyId ?? null);
    requireTerm(given);
    const before = await repo.grantOf(ctx, variantId);
    const now = ctx.now();
    const grant: LicenseGrant = {
      variantId,
      licenseProductId: product.id,
      policyId,
      type: given.type,
      tier: given.tier,
      durationDays: given.durationDays ?? null,
      maxActivations: given.maxActivations ?? null,
      maxUses: given.maxUses ?? null,
      maxVersion: given.maxVersion ?? null,
      features: given.features ?? null,
      quantityMode: given.quantityMode ?? 'one_per_unit',
      onRefund: given.onRefund ?? ctx.settings.get(licenseDefaultOnRefund),
      onSubscriptionEnd: given.onSubscriptionEnd ?? 'expire',
      updatedAt: now,
      createdAt: before?.createdAt ?? now,
    };
    await referring('variant_id', 'the variant was deleted in the meantime', () => repo.putGrant(ctx, grant));
    await licenseGrantEvents.tell(ctx, 'license_grant.set', variantId, toldOf(grant), {
      before,
      after: grant,
    });
    return grant;
  });
}

/**
 * Sells a variant without a license from now on. A variant without one stays as it is.
 *
 * @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, while its product is published as one of licenses
 */
export async function removeGrant(ctx: Ctx, variantId: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const { productId, sku } = await getVariant(ctx, variantId);
    // Whoever publishes it holds the same lock.
    const { type, status, slug } = await lockProduct(ctx, productId);
    const before = await repo.grantOf(ctx, variantId);
    if (!before) return;
    if (type === 'license' && status === 'active')
      throw fail(
        'CONFLICT',
        `${slug} is published and sold with licenses: make it a draft or archive it, then remove the license of ${sku}`,
        { details: { reason: 'INVALID_TRANSITION' } },
      );
    await repo.deleteGrant(ctx, variantId);
    await licenseGrantEvents.tell(ctx, 'license_grant.removed', variantId, toldOf(before), { before });
  });
}

async function sellable(ctx: Ctx, idOrSlug: string): Promise<products.Product> {
  const product = await products.find(ctx, idOrSlug);
  if (!product) throw invalidField('license_product_id', `license product ${idOrSlug} does not exist`);
  if (product.status === 'DISCONTINUED')
    throw invalidField('license_product_id', `${product.slug} is discontinued: it is not sold anymore`);
  return product;
}

async function policyOf(ctx: Ctx, idOrName: string | null): Promise<string | null> {
  if (idOrName === null) return null;
  const policy = await policies.find(ctx, idOrName);
  if (!policy) throw invalidField('policy_id', `policy ${idOrName} does not exist`);
  return policy.id;
}

/** A trial or a subscription without an end would be a gift, and one that is called perpetual must not end. */
function requireTerm({ type, durationDays }: GrantInputType): void {
  if (type === 'PERPETUAL' && typeof durationDays === 'number')
    throw invalidField(
      'duration_days',
      'is not for a PERPETUAL license, which never expires; choose another type, such as SUBSCRIPTION',
    );
  if ((type !== 'TRIAL' && type !== 'SUBSCRIPTION') || typeof durationDays === 'number') return;
  throw invalidField('duration_days', `is required: a ${type} license needs an end date`);
}

/**
 * Most units of a variant in one order: seats of one license are at most 1,000 (fulfilment section 3).
 *
 * @returns null where there is no such limit
 */
export async function mostUnits(ctx: Ctx, grant: LicenseGrant): Promise<number | null> {
  if (grant.quantityMode !== 'seats') return null;
  const each = grant.maxActivations ?? (await defaultSeats(ctx, grant.licenseProductId));
  return Math.max(1, Math.floor(bounds.maxActivations.max / each));
}

/** Machines that a license product allows where a grant says nothing. */
export async function defaultSeats(ctx: Ctx, licenseProductId: string): Promise<number> {
  const product = await products.find(ctx, licenseProductId);
  return product?.defaultMaxActivations ?? 1;
}

/** @throws AppError NOT_FOUND for a variant without a license */
export async function requireGrant(ctx: Ctx, variantId: string): Promise<LicenseGrant> {
  const grant = await getGrant(ctx, variantId);
  if (grant) return grant;
  throw fail('NOT_FOUND', `variant ${variantId} is sold without a license`);
}
