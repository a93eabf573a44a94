import type { Ctx } from '#kernel/context.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import type { LicenseType } from '#licensing/contract/enumerations.ts';
import { fail } from '#licensing/contract/errors.ts';
import { renew } from '../lifecycle.ts';
import { lock, reread } from '../locked.ts';
import type { License } from '../queries.ts';
import { judgeEnd } from '../term.ts';
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

/** What a trial is sold as. */
export type Bought = Extract<LicenseType, 'SUBSCRIPTION' | 'PERPETUAL'>;

/**
 * Makes a TRIAL what its customer has bought, with the same key and machines (licensing 2.12). A license that is of that
 * type already only gets its new end. An end that moves forward is a renewal: LICENSE_RENEWED (D38).
 *
 * @param bought `validUntil` ISO 8601 UTC, in the future; null for no end
 * @throws AppError NOT_FOUND, LICENSE_REVOKED; VALIDATION_ERROR for a past date; CONFLICT for a license of another type
 */
export function convertTrial(
  ctx: Ctx,
  licenseId: string,
  { type, validUntil }: { type: Bought; validUntil: string | null },
): Promise<License> {
  return ctx.tx(async (ctx) => {
    const standing = await lock(ctx, licenseId);
    const license = await reread(ctx, licenseId);
    // Also where the end stays as it is: what is revoked is sold to nobody.
    judgeEnd(ctx, standing, validUntil);
    if (license.type === type && validUntil !== null) return renew(ctx, { licenseId }, validUntil);
    if (license.type !== 'TRIAL' && license.type !== type) refuseType(license, type);
    return (await edit(ctx, standing, license, { ...editableOf(license), type, validUntil })).license;
  });
}

function refuseType({ id, type }: License, wanted: Bought): never {
  throw fail('CONFLICT', `license ${id} is ${type} and cannot become ${wanted}: only a TRIAL can`, {
    details: { reason: 'NO_TRIAL', type, hint: `appctl license update ${id} --type ${wanted}` },
  });
}

/**
 * Sets how many machines or seats a license has. Machines beyond a lower number stay until they end, and no other one is
 * let in before (D61).
 *
 * @param maxActivations 1 to 1000
 * @throws AppError NOT_FOUND, VALIDATION_ERROR
 */
export const setSeats = async (ctx: Ctx, licenseId: string, maxActivations: number): Promise<License> =>
  (await update(ctx, licenseId, { maxActivations })).license;
