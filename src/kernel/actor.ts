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
  /** Staff of the whole installation, not of one tenant. */
  readonly isInstanceWide?: true;
  /** What staff and their tokens may do: names of permissions, `<area>:<what>`, or everything. */
  readonly permissions?: Permissions;
  /** The rows that the actor is confined to; what lies outside answers as unknown (admin.md 6.3, D19c). */
  readonly scopes?: Scopes;
  /** The login token that a member of staff acts by, where it is no browser. */
  readonly tokenId?: string;
  /** As whom a member of staff looks at the panel: reads only, and this is the person who really acts. */
  readonly viewing?: { readonly id: string; readonly label: string | null };
}

/** Whose rows an actor may be confined to. */
export type ScopeKind = 'tenant' | 'license_product' | 'vendor';

/** Ids by kind; a kind that is absent confines to nothing. */
export type Scopes = Readonly<Partial<Record<ScopeKind, readonly string[]>>>;

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

/** The ids of a kind that an actor is confined to; null when it sees every one. */
export const scopeOf = ({ scopes }: Pick<Actor, 'scopes'>, kind: ScopeKind): readonly string[] | null =>
  scopes?.[kind] ?? null;

/** Whether a row of a kind lies within what an actor may know of. */
export const reaches = (actor: Pick<Actor, 'scopes'>, kind: ScopeKind, id: string): boolean =>
  scopeOf(actor, kind)?.includes(id) ?? true;

/** What decides which rows an actor sees: two of whom this is equal see the same. */
export const sightOf = ({ id, permissions, scopes, isInstanceWide }: Actor): readonly unknown[] => [
  id,
  permissions,
  scopes,
  isInstanceWide,
];

/** The person behind an actor: who looks as somebody else is still himself. */
export const personOf = ({ id, label, viewing }: Actor): { id: string | null; label: string | null } =>
  viewing ?? { id, label };

/** Whether permissions include one; `x:write` includes `x:read`, and nothing else includes another. */
export function includesPermission(held: Permissions, needed: string): boolean {
  if (held === 'all' || held.includes(needed)) return true;
  return needed.endsWith(':read') && held.includes(needed.replace(/:read$/, ':write'));
}
