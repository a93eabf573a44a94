import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import { findDeadKey, findStanding, namesOf, openKey } from '../standing/index.ts';
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
 * The license of a whole key, in any spelling (D11), also of one that was replaced and opens nothing any more.
 *
 * @throws AppError INVALID_KEY, NOT_FOUND; neither repeats the key
 */
export async function getByKey(ctx: Ctx, key: string): Promise<License> {
  const names = namesOf(ctx, key);
  if (names.length === 0) throw fail('INVALID_KEY');
  for (const named of names) {
    const standing = await findStanding(ctx, named, '', ctx.now());
    if (standing) return get(ctx, standing.license.id);
  }
  // Staff may ask for a dead key without setting off what waits for its use.
  const [one, other = one] = names.flatMap((named) => ('digest' in named ? [named.digest] : []));
  const dead = one !== undefined && other !== undefined && (await findDeadKey(ctx, [one, other], ctx.now()));
  if (!dead || dead.isCanary || dead.tenantId !== ctx.tenantId)
    throw fail('NOT_FOUND', 'no license has this key');
  return get(ctx, dead.licenseId);
}
