import type { Ctx } from '#kernel/context.ts';
import { writeJson, writeJsonOrNull } from '#kernel/db/columns.ts';
import type { LicenseStatus } from '#licensing/contract/enumerations.ts';
import type { License } from '../queries.ts';

/** The fields of a license that staff may edit. */
export type Editable = Pick<
  License,
  | 'type'
  | 'tier'
  | 'maxActivations'
  | 'validUntil'
  | 'features'
  | 'maxVersion'
  | 'maxUses'
  | 'policyId'
  | 'gracePeriodSeconds'
  | 'orderId'
  | 'metadata'
  | 'notes'
>;

/** When a license was changed last, ISO 8601 UTC, under its lock; null when it is unknown. */
export async function lockUpdatedAt(ctx: Ctx, licenseId: string): Promise<string | null> {
  const row: { updated_at: string } | undefined = await ctx.db
    .knex('licenses')
    .where({ id: licenseId, tenant_id: ctx.tenantId })
    .forUpdate()
    .first('updated_at');
  return row?.updated_at ?? null;
}

/**
 * Writes what was edited on a locked license; throws a foreign key violation when its policy is gone.
 *
 * @param status the status to store, null to leave it
 */
export async function write(
  ctx: Ctx,
  licenseId: string,
  edited: Editable,
  status: LicenseStatus | null,
): Promise<void> {
  await ctx.db
    .knex('licenses')
    .where({ id: licenseId })
    .update({
      type: edited.type,
      tier: edited.tier,
      max_activations: edited.maxActivations,
      valid_until: edited.validUntil,
      features: writeJsonOrNull(edited.features),
      max_version: edited.maxVersion,
      max_uses: edited.maxUses,
      policy_id: edited.policyId,
      grace_period_seconds: edited.gracePeriodSeconds,
      order_id: edited.orderId,
      metadata: writeJson(edited.metadata),
      notes: edited.notes,
      updated_at: ctx.now(),
      ...(status !== null && { status }),
    });
}

/** Gives a locked license to another customer; throws a foreign key violation when that one is gone. */
export async function giveTo(ctx: Ctx, licenseId: string, customerId: string): Promise<void> {
  await ctx.db
    .knex('licenses')
    .where({ id: licenseId })
    .update({ customer_id: customerId, updated_at: ctx.now() });
}
