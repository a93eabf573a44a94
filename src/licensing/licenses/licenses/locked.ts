import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import type { Standing } from '../standing/index.ts';
import { lockStanding } from './lock.ts';
import { findLicense, type License } from './queries.ts';

/** Locks a license by its id and reads its standing (C1). @throws AppError NOT_FOUND, also for one in the trash */
export async function lock(ctx: Ctx, id: string): Promise<Standing> {
  const standing = await lockStanding(ctx, { id }, '', ctx.now());
  if (!standing) throw fail('NOT_FOUND', `license ${id} was not found`);
  return standing;
}

/** A license that this transaction holds, as it stands now. */
export const reread = async (ctx: Ctx, id: string): Promise<License> =>
  (await findLicense(ctx, id)) as License;
