import type { Ctx } from '#kernel/context.ts';
import type { LicenseStatus } from '#licensing/contract/enumerations.ts';
import type { LicenseCreatedReply } from '#licensing/contract/replies.ts';
import { effectiveMaxUses, graceEnd, mergeFeatures, statusAt } from '../decision/index.ts';
import { maskedKey, openKey } from '../standing/index.ts';
import { type License, withBeside } from './queries.ts';
import type { ActivationView, AdminLicenseView } from './view.ts';

/** LicenseCreated of the public API, with the whole key. */
export const licenseCreated = (ctx: Ctx, license: License): LicenseCreatedReply => ({
  id: license.id,
  key: openKey(ctx, license.sealedKey, license.id),
  productId: license.productId,
  product: license.productId,
  type: license.type,
  tier: license.tier,
  status: statusOf(ctx, license),
  maxActivations: license.maxActivations,
  validUntil: license.validUntil,
  createdAt: license.createdAt,
});

/** The status that counts now (D34). */
export const statusOf = (ctx: Ctx, license: License): LicenseStatus =>
  statusAt({ status: license.storedStatus, validUntil: license.validUntil }, ctx.now());

/** A license as the terminal and staff see it (cli.md section 2). */
export type LicenseView = ReturnType<typeof licenseView>;

/** @param options `reveal` adds the whole key; `activations` the live machines */
export function licenseView(
  ctx: Ctx,
  license: License,
  options: { reveal?: boolean | undefined; activations?: ActivationView[] | undefined } = {},
) {
  return {
    id: license.id,
    ...(options.reveal && { key: openKey(ctx, license.sealedKey, license.id) }),
    keyPrefix: license.keyPrefix,
    keyMasked: maskedKey(ctx, license),
    tenantId: license.tenantId,
    productId: license.productId,
    product: license.productId,
    productSlug: license.productSlug,
    productName: license.productName,
    type: license.type,
    tier: license.tier,
    status: statusOf(ctx, license),
    storedStatus: license.storedStatus,
    suspendedReason: license.suspendedReason,
    maxActivations: license.maxActivations,
    activationsUsed: license.activationsUsed,
    ...termOf(license),
    maxVersion: license.maxVersion,
    maxUses: license.maxUses,
    effectiveMaxUses: effectiveMaxUses(license, license.policy),
    currentUses: license.currentUses,
    features: license.features,
    effectiveFeatures: mergeFeatures(license.features, license.policy?.features ?? null),
    policyId: license.policyId,
    effectivePolicyId: license.policy?.id ?? null,
    customer: license.customer,
    customerId: license.customer.id,
    customerEmail: license.customer.email,
    customerName: license.customer.name,
    orderId: license.orderId,
    metadata: license.metadata,
    ...(license.notes !== null && { notes: license.notes }),
    source: license.source,
    createdAt: license.createdAt,
    updatedAt: license.updatedAt,
    ...(license.deletedAt !== null && { deletedAt: license.deletedAt }),
    ...(options.activations && { activations: options.activations }),
  };
}

function termOf(license: License) {
  const { validUntil, gracePeriodSeconds } = license;
  const graceExpiresAt = graceEnd({ ...license, status: license.storedStatus }, license.policy);
  return { validUntil, gracePeriodSeconds, ...(graceExpiresAt !== null && { graceExpiresAt }) };
}

/** A license as the admin API shows it (licensing 4.3). */
export async function adminLicense(ctx: Ctx, license: License): Promise<AdminLicenseView> {
  const [one = license] = license.beside ? [license] : await withBeside(ctx, [license]);
  return Object.assign(licenseView(ctx, one), one.beside as NonNullable<License['beside']>);
}
