import { allows, type Permissions } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { passwordFault } from './password-rules.ts';
import * as queries from './queries.ts';

/**
 * Whoever could take over an account has what it may do: who changes its password, its second factor or its sessions
 * must hold all of that (admin.md 6.1).
 *
 * @throws AppError INSUFFICIENT_SCOPE
 */
export async function requireMayManage(ctx: Ctx, id: string): Promise<void> {
  if (ctx.actor.id === id) return;
  requireHolds(ctx, await queries.permissionsOf(ctx, id), 'this account has permissions that you lack');
}

/** @throws AppError VALIDATION_ERROR for an unknown role; INSUFFICIENT_SCOPE for one with more than the actor has */
export async function requireMayGrant(ctx: Ctx, roles: readonly string[]): Promise<void> {
  const known = await queries.rolesNamed(ctx, roles);
  const unknown = roles.find((role) => !known.some(({ name }) => name === role));
  if (unknown !== undefined) throw passwordFault(`there is no role ${JSON.stringify(unknown)}`, 'roles');
  for (const { permissions } of known)
    requireHolds(ctx, permissions, 'you cannot give permissions that you lack');
}

function requireHolds({ actor }: Ctx, held: Permissions, message: string): void {
  const lacking = held === 'all' ? ['all'] : held.filter((permission) => !allows(actor, permission));
  if (lacking.length > 0) throw fail('INSUFFICIENT_SCOPE', `${message}: ${lacking.join(', ')}`);
}
