import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import { openKey } from '../standing/index.ts';
import type { License } from './queries.ts';
import { tellReveal } from './reveal.ts';
import { licenseRows } from './search/queries.ts';

/** A license, in the trash too. @throws AppError NOT_FOUND */
export async function getAny(ctx: Ctx, id: string): Promise<License> {
  const license = await licenseRows.find(ctx, id);
  if (license) return license;
  throw fail('NOT_FOUND', `license ${id} was not found`, { details: { hint: 'appctl license list' } });
}

/** In the transaction that makes or shows the key: what cannot be kept is not shown. */
export async function revealed(ctx: Ctx, license: License, reason: string): Promise<string> {
  await tellReveal(ctx, license, { reason });
  const key = openKey(ctx, license.sealedKey, license.id);
  ctx.origin.keepSecret?.(key);
  return key;
}
