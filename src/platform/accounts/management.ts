import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { passwordFault } from '../passwords/index.ts';
import * as roles from '../roles/index.ts';
import { unknownAccount } from './unknown-account.ts';

/**
 * Whoever could take over an account has what it may do: who changes its password, its second factor or its sessions
 * must hold all of that and see every row that it sees (admin.md 6.1).
 *
 * @returns what the account holds
 * @throws AppError INSUFFICIENT_SCOPE; NOT_FOUND for an account that sees rows which the actor does not
 */
export async function requireMayManage(ctx: Ctx, id: string): Promise<roles.Held> {
  const held = await roles.heldBy(ctx, id);
  if (ctx.actor.id === id) return held;
  if (roles.seesMore(ctx.actor, held.scopes)) throw unknownAccount(id);
  roles.requirePowerOver(ctx.actor, held);
  return held;
}

/**
 * @param names of roles
 * @throws AppError VALIDATION_ERROR for an unknown role; INSUFFICIENT_SCOPE for one with more than the actor has
 */
export async function requireMayGrant(ctx: Ctx, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const permissions = await roles.permissionsOfRoles(ctx, [name]).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      const { hint } = error.details;
      throw passwordFault(`${JSON.stringify(name)} is not a role`, 'roles', hint);
    });
    roles.requireGrantable(ctx.actor, permissions);
  }
}
