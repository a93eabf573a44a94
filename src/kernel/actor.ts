/** Who acts: printed in events and the audit log. */
export interface Actor {
  readonly kind:
    | 'system'
    | 'cli'
    | 'api_key'
    | 'admin'
    | 'job'
    | 'portal'
    /** A visitor of a page whom nobody knows, a customer and a member of staff who signed in. */
    | 'guest'
    | 'customer'
    | 'staff';
  readonly id: string | null;
  readonly label: string | null;
  /** Ids that the actor is confined to, such as the products of an API key; what lies outside answers as unknown. */
  readonly confinedTo?: readonly string[] | null;
  /** Staff of the whole installation, not of one tenant. */
  readonly isInstanceWide?: true;
  /** What a member of staff may do: names of permissions, `<area>:<what>`, or everything. */
  readonly permissions?: Permissions;
  /** Ids of the rows that staff is confined to, by kind; a kind that is absent confines to nothing (admin.md 6.3). */
  readonly scopes?: Readonly<Record<string, readonly string[]>>;
}

/** Names of permissions, `<area>:<what>`, or all that there are. */
export type Permissions = readonly string[] | 'all';

export const SYSTEM: Actor = { kind: 'system', id: null, label: null };

/** A visitor of whom nothing is known. */
export const GUEST: Actor = { kind: 'guest', id: null, label: null };

/** Whoever works on the machine itself has its files, and with them everything. */
const OF_THE_MACHINE: readonly Actor['kind'][] = ['system', 'cli', 'job'];

/**
 * Whether an actor may do something.
 *
 * @param permission `<area>:<what>`, such as `system:read`; who may write may read too (admin.md 6.1)
 */
export const allows = (actor: Actor, permission: string): boolean =>
  OF_THE_MACHINE.includes(actor.kind) || includesPermission(actor.permissions ?? [], permission);

/** Whether permissions include one; `x:write` includes `x:read`, and nothing else includes another. */
export function includesPermission(held: Permissions, needed: string): boolean {
  if (held === 'all' || held.includes(needed)) return true;
  return needed.endsWith(':read') && held.includes(needed.replace(/:read$/, ':write'));
}
