import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import { lockUpdatedAt } from './repository.ts';

/**
 * Refuses to change a license that somebody else has changed since it was read. Called before its lock persists a date
 * that has passed: no answer changes by that, so nobody has to read again.
 *
 * @param ifMatch `updatedAt` as the caller read it; undefined changes any state
 * @throws AppError PRECONDITION_FAILED; an unknown license is left to whoever locks it next
 */
export async function refuseStale(ctx: Ctx, id: string, ifMatch: string | undefined): Promise<void> {
  if (ifMatch === undefined) return;
  const updatedAt = await lockUpdatedAt(ctx, id);
  if (updatedAt === null || ifMatch === updatedAt) return;
  throw fail('PRECONDITION_FAILED', `license ${id} has changed since it was read`, {
    details: { updatedAt, hint: 'read it again and repeat the change' },
  });
}
