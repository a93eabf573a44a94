import { type Actor, allows, type ScopeKind, type Scopes, scopeOf } from '#kernel/actor.ts';
import { fail } from '#kernel/service/errors.ts';
import { PERMISSIONS } from '../permissions/index.ts';
import type { Held } from './held.ts';

/** Nobody grants what they lack (admin.md 6.1): rights of the actor bound what it may give to others. */

const SCOPE_KINDS: readonly ScopeKind[] = ['tenant', 'license_product', 'vendor'];

/** Permissions that an actor lacks. */
const lacking = (actor: Actor, permissions: readonly string[]): string[] =>
  permissions.filter((permission) => !allows(actor, permission));

/**
 * Refuses to give away permissions that the actor does not hold itself.
 *
 * @throws AppError INSUFFICIENT_SCOPE, which names them
 */
export function requireGrantable(actor: Actor, permissions: readonly string[]): void {
  const lacks = lacking(actor, permissions);
  if (lacks.length === 0) return;
  throw fail('INSUFFICIENT_SCOPE', `You cannot grant ${lacks.join(', ')}: you do not hold it yourself`, {
    details: { reason: 'NOT_HELD', required: lacks },
  });
}

/**
 * Refuses to let somebody see more rows than the actor does.
 *
 * @throws AppError NOT_FOUND for a row outside of the actor's scope; INSUFFICIENT_SCOPE where a kind that confines the
 *   actor is left open
 */
export function requireWithinScope(actor: Actor, scopes: Scopes): void {
  for (const kind of SCOPE_KINDS) {
    const own = scopeOf(actor, kind);
    if (own === null) continue;
    const given = scopes[kind];
    if (given === undefined)
      throw fail('INSUFFICIENT_SCOPE', `Name the ${kind} scope: your own access is limited to some`, {
        details: { reason: 'SCOPE_NEEDED', kind },
      });
    const outside = given.find((id) => !own.includes(id));
    if (outside !== undefined) throw unknownRow(kind, outside);
  }
}

/** One text for a row that does not exist and for one that the actor may not know of. */
export const unknownRow = (kind: ScopeKind, id: string) => fail('NOT_FOUND', `${kind} ${id} was not found`);

/** Whether somebody sees rows that the actor does not. */
export const seesMore = (actor: Actor, scopes: Scopes): boolean =>
  SCOPE_KINDS.some((kind) => {
    const own = scopeOf(actor, kind);
    return own !== null && !(scopes[kind]?.every((id) => own.includes(id)) ?? false);
  });

/**
 * Refuses to change the account, or the token, of somebody who may do more than the actor: who resets the password of an
 * owner is an owner.
 *
 * @param what stands in the message
 * @throws AppError INSUFFICIENT_SCOPE
 */
export function requirePowerOver(
  actor: Actor,
  held: Pick<Held, 'permissions'>,
  what: 'account' | 'token' = 'account',
): void {
  const lacks = lacking(actor, held.permissions === 'all' ? PERMISSIONS : held.permissions);
  if (lacks.length === 0) return;
  throw fail(
    'INSUFFICIENT_SCOPE',
    `This ${what} has more permissions than you. Ask someone with the same permissions to change it`,
    {
      details: { reason: 'NOT_HELD', required: lacks },
    },
  );
}
