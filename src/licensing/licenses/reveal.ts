import type { Ctx } from '#kernel/context.ts';
import { fail } from '../errors.ts';
import { findLicense, type License } from './queries.ts';

/**
 * A license whose whole key staff are about to see: the reveal is part of its timeline (cli.md 1.5).
 *
 * @throws AppError NOT_FOUND
 */
export async function forReveal(ctx: Ctx, licenseId: string): Promise<License> {
  return ctx.tx(async (ctx) => {
    const license = await get(ctx, licenseId);
    await ctx.emit({ type: 'LICENSE_KEY_REVEALED', service: 'license', subject: licenseId, data: {} });
    return license;
  });
}

/** One license of the tenant. @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, licenseId: string): Promise<License> {
  const license = await findLicense(ctx, licenseId);
  if (!license) throw fail('NOT_FOUND', `there is no license ${licenseId}`, { details: { hint: 'appctl license list' } });
  return license;
}
