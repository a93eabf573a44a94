import {
  type Actor,
  includesPermission,
  type Permissions,
  type ScopeKind,
  type Scopes,
} from '#kernel/actor.ts';
import type { Session } from '#kernel/http/visitor.ts';

const NAME = 'view-as';

interface View {
  readonly viewer: string;
  readonly user: string;
}

/** From its next request on a session looks as another account does, and only reads (admin.md 7). */
export const beginView = (session: Session, viewer: string, user: string): void =>
  session.write(NAME, { viewer, user } satisfies View);

/** From its next request on a session acts for its own account again. */
export const endView = (session: Session): void => session.write(NAME, undefined);

/** The account as which an account looks, by what its session holds; null when it looks as itself. */
export function viewedIn(data: Readonly<Record<string, unknown>>, viewer: string): string | null {
  const view = data[NAME] as View | undefined;
  return view?.viewer === viewer ? view.user : null;
}

/**
 * Somebody who looks as somebody else sees what both may see: rights that one of them has lost or gained meanwhile count
 * at once.
 */
export const seenThrough = (viewer: Actor, viewed: Actor): Actor => {
  const scopes = common(viewer.scopes ?? {}, viewed.scopes ?? {});
  const { isInstanceWide: _of, ...person } = viewed;
  return {
    ...person,
    permissions: shared(viewer.permissions ?? [], viewed.permissions ?? []),
    scopes,
    ...(scopes.tenant === undefined && { isInstanceWide: true }),
    viewing: { id: viewer.id ?? '', label: viewer.label },
  };
};

/** Permissions that both hold; of a right to write, what is left of it is to read. */
function shared(one: Permissions, other: Permissions): Permissions {
  if (other === 'all') return one;
  return other.flatMap((permission) => {
    const reading = permission.replace(/:write$/, ':read');
    return [permission, reading].find((candidate) => includesPermission(one, candidate)) ?? [];
  });
}

const KINDS: readonly ScopeKind[] = ['tenant', 'license_product', 'vendor'];

const common = (one: Scopes, other: Scopes): Scopes =>
  Object.fromEntries(
    KINDS.flatMap((kind) => {
      const [mine, theirs] = [one[kind], other[kind]];
      if (!mine || !theirs) return mine || theirs ? [[kind, mine ?? theirs]] : [];
      return [[kind, mine.filter((id) => theirs.includes(id))]];
    }),
  );
