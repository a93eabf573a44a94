import type { Ctx } from '#kernel/context.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import { lock, reread } from '../locked.ts';
import { type Edited, edit, editableOf } from './edit.ts';
import { LicenseUpdate, type LicenseUpdateInput } from './schemas.ts';
import { refuseStale } from './unchanged.ts';

/**
 * Edits a license (licensing 4.2, PATCH /licenses/{id}): what is not sent stays, null clears. An equal value is no
 * change, so that a form may send everything back, a date in the past included.
 *
 * @param input policyId may be a name; validUntil follows D38
 * @param options `ifMatch`: the `updatedAt` that the caller has read
 * @throws AppError VALIDATION_ERROR (also for unknown fields), NOT_FOUND for license or policy, LICENSE_REVOKED for a
 *   new end of a revoked license, CONFLICT for a type that its live machines do not allow, PRECONDITION_FAILED
 */
export async function update(
  ctx: Ctx,
  licenseId: string,
  input: LicenseUpdateInput,
  options: { ifMatch?: string | undefined } = {},
): Promise<Edited> {
  const sent = sentFields(checkInput(LicenseUpdate, input));
  return ctx.tx(async (ctx) => {
    await refuseStale(ctx, licenseId, options.ifMatch);
    const standing = await lock(ctx, licenseId);
    const license = await reread(ctx, licenseId);
    const wanted = { ...editableOf(license), ...sent };
    if (sent.policyId) wanted.policyId = (await policies.get(ctx, sent.policyId)).id;
    return edit(ctx, standing, license, wanted);
  });
}
