import type { Ctx } from '#kernel/context.ts';
import { conflict } from '#kernel/service/errors.ts';
import type { Held } from './held.ts';
import { countOtherOwners } from './queries.ts';

/** Whether somebody is an owner of the whole installation: of every permission and every row. */
export const isFullOwner = ({ roles, scopes }: Pick<Held, 'roles' | 'scopes'>): boolean =>
  roles.includes('owner') && Object.keys(scopes).length === 0;

/**
 * Refuses what would leave the installation without an active owner. The caller holds `lockRoles`, so that two owners
 * cannot each remove the other.
 *
 * @param userId who is an owner now, and would not be one afterwards
 * @throws AppError CONFLICT
 */
export async function requireAnotherOwner(ctx: Ctx, userId: string): Promise<void> {
  if ((await countOtherOwners(ctx, userId)) > 0) return;
  throw conflict(
    'this is the last active owner of the installation',
    'make someone else an owner first: appctl admin user set-role EMAIL --role owner',
  );
}
