import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import { openKey, resolveKey } from '../standing/index.ts';
import { licenseStaffEvents } from './events.ts';
import { findLicense, type License } from './queries.ts';

/**
 * A license whose whole key staff are about to see: the reveal is part of its timeline (cli.md 1.5).
 *
 * @param reason why, at most 500 characters; null when nobody asked
 * @throws AppError NOT_FOUND
 */
export async function forReveal(ctx: Ctx, licenseId: string, reason: string | null = null): Promise<License> {
  return ctx.tx(async (ctx) => {
    const license = await get(ctx, licenseId);
    await tellReveal(ctx, license, { reason });
    return license;
  });
}

/** Writes into the timeline of a license that its whole key is shown. */
export const tellReveal = (
  ctx: Ctx,
  { id }: { id: string },
  data: { reason: string | null },
): Promise<void> => licenseStaffEvents.tell(ctx, 'LICENSE_KEY_REVEALED', id, data);

/**
 * The whole key, for a mail or a page that its owner is about to get; nothing is written of it.
 *
 * @throws AppError NOT_FOUND
 */
export async function keyOf(ctx: Ctx, licenseId: string): Promise<string> {
  const license = await findLicense(ctx, licenseId);
  if (!license) throw fail('NOT_FOUND', 'License not found');
  return openKey(ctx, license.sealedKey, license.id);
}

/**
 * The whole key, for the customer who owns the license and asks for it: the timeline and the audit log tell that they
 * did (licensing 2.12).
 *
 * @param ctx whose actor the customer is
 * @throws AppError NOT_FOUND
 */
export const revealToOwner = (ctx: Ctx, licenseId: string): Promise<string> =>
  ctx.tx(async (ctx) => {
    const key = await keyOf(ctx, licenseId);
    const told = { reason: null };
    await licenseStaffEvents.tell(ctx, 'LICENSE_KEY_REVEALED', licenseId, told, { isAudited: true });
    return key;
  });

/** One license of the tenant. @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, licenseId: string): Promise<License> {
  const license = await findLicense(ctx, licenseId);
  if (!license)
    throw fail('NOT_FOUND', `license ${licenseId} was not found`, {
      details: { hint: 'appctl license list' },
    });
  return license;
}

/**
 * The license of a whole key, in any spelling (D11).
 *
 * @throws AppError INVALID_KEY, NOT_FOUND; neither repeats the key
 */
export async function getByKey(ctx: Ctx, key: string): Promise<License> {
  const { malformed, standing } = await resolveKey(ctx, key, '', ctx.now());
  if (malformed) throw fail('INVALID_KEY');
  if (!standing) throw fail('NOT_FOUND', 'no license has this key');
  return get(ctx, standing.license.id);
}
