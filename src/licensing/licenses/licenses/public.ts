import type { Ctx } from '#kernel/context.ts';
import { maskKey } from '#licensing/catalog/key-formats/index.ts';
import type { LicenseStatus } from '#licensing/contract/enumerations.ts';
import type { LicenseCreatedReply } from '#licensing/contract/replies.ts';
import { graceEnd, statusAt } from '../decision/index.ts';
import { openKey } from '../standing/index.ts';
import type { License } from './queries.ts';
import type { ActivationView } from './view.ts';

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
  const key = openKey(ctx, license.sealedKey, license.id);
  const dated = { ...license, status: license.storedStatus };
  const policy =
    license.policyGraceSeconds === null ? null : { gracePeriodSeconds: license.policyGraceSeconds };
  const graceExpiresAt = graceEnd(dated, policy);
  return {
    id: license.id,
    ...(options.reveal && { key }),
    keyPrefix: license.keyPrefix,
    keyMasked: maskKey(key),
    productId: license.productId,
    product: license.productId,
    productSlug: license.productSlug,
    productName: license.productName,
    type: license.type,
    tier: license.tier,
    status: statusOf(ctx, license),
    maxActivations: license.maxActivations,
    activationsUsed: license.activationsUsed,
    validUntil: license.validUntil,
    ...(graceExpiresAt !== null && { graceExpiresAt }),
    maxVersion: license.maxVersion,
    maxUses: license.maxUses,
    currentUses: license.currentUses,
    features: license.features,
    policyId: license.policyId,
    customer: license.customer,
    orderId: license.orderId,
    metadata: license.metadata,
    ...(license.notes !== null && { notes: license.notes }),
    createdAt: license.createdAt,
    updatedAt: license.updatedAt,
    ...(license.deletedAt !== null && { deletedAt: license.deletedAt }),
    ...(options.activations && { activations: options.activations }),
  };
}
