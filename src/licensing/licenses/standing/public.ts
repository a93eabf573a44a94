import type { Ctx } from '#kernel/context.ts';
import { sealedBytes } from '#kernel/crypto.ts';
import type { JsonObject } from '#kernel/http/json-object.ts';
import { maskKey, maskUnseen } from '#licensing/catalog/key-formats/index.ts';
import type { ActivationReply, LicensePublicReply } from '#licensing/contract/replies.ts';
import type { EventSubject } from '#licensing/publish.ts';
import { mergeFeatures } from '../decision/index.ts';
import type { Standing } from './standing.ts';

/** The key of a license, opened. Only for the answers that the specification gives it to (M11). */
export const openKey = (ctx: Ctx, sealedKey: string, licenseId: string): string =>
  ctx.keyring.open('license-key', sealedKey, licenseId);

/** A key for human eyes: it is opened only where its beginning does not tell its shape. */
export const maskedKey = (
  ctx: Ctx,
  {
    id,
    sealedKey,
    keyPrefix,
  }: { readonly id: string; readonly sealedKey: string; readonly keyPrefix: string },
): string => maskUnseen(keyPrefix, sealedBytes(sealedKey)) ?? maskKey(openKey(ctx, sealedKey, id));

/** LicensePublic; `used` is the number of live activations after the call (D27). */
export const licensePublic = (ctx: Ctx, standing: Standing, used: number): LicensePublicReply => ({
  key: standing.spelling ?? openKey(ctx, standing.sealedKey, standing.license.id),
  product: standing.product.name,
  tier: standing.license.tier,
  type: standing.license.type,
  validUntil: standing.license.validUntil,
  activationsUsed: used,
  maxActivations: standing.license.maxActivations,
  features: mergeFeatures(standing.license.features, standing.policy?.entitlements ?? null),
});

/** Activation; a lease also shows its id and end (D59), and what its checkout attached. */
export const activationPublic = (activation: {
  id: string;
  machineId: string;
  machineName: string | null;
  activatedAt: string;
  leaseExpiresAt: string | null;
  metadata: JsonObject | null;
}): ActivationReply => ({
  machineId: activation.machineId,
  machineName: activation.machineName,
  activatedAt: activation.activatedAt,
  ...(activation.leaseExpiresAt !== null && { id: activation.id, leaseExpiresAt: activation.leaseExpiresAt }),
  ...(activation.metadata !== null && { metadata: activation.metadata }),
});

/** The license as events name it. */
export const subjectOf = (standing: Standing): EventSubject => ({
  licenseId: standing.license.id,
  keyPrefix: standing.keyPrefix,
  customerId: standing.license.customerId,
  product: { name: standing.product.name, slug: standing.product.slug },
});
