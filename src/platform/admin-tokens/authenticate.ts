import type { Scopes } from '#kernel/actor.ts';
import { isoTime } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { readFlag, readJsonOrNull } from '#kernel/db/columns.ts';
import type { Owed } from '#kernel/http/session-keeper.ts';
import { confined, type Held, heldOf, permissionsHeld, words } from '../roles/index.ts';
import { owedBy } from '../sessions/index.ts';
import { hashOf } from './admin-tokens.ts';
import * as repo from './repository.ts';

/** Who presented a live token, and what that opens. */
export interface Bearer extends Held {
  /** Of the token. */
  id: string;
  /** Of the token; the address of the user where somebody signed in with it. */
  label: string;
  /** null acts for every tenant of the installation that its scopes leave. */
  tenantId: string | null;
  /** Who signed in with it; null for a token of a program. */
  userId: string | null;
  /** When its user last proved the password by it; null for a token of a program. */
  passwordProvenAt: string | null;
  /** What that person has to do first: until then the token has no permission. */
  owes: Owed | null;
}

/** Why a presented token opens nothing, in the order in which it is judged. */
export type Refusal = 'UNKNOWN' | 'REVOKED' | 'EXPIRED';

const MAX_SECRET_LENGTH = 200;
const TOUCH_EVERY_MS = 60_000;

/**
 * Finds who a presented token belongs to. Every refusal has done the same work before (M10).
 *
 * @param secret as it was presented, without `Bearer`
 */
export async function authenticate(ctx: Ctx, secret: string): Promise<Bearer | Refusal> {
  // No token is that long: hashing what anybody sends must stay cheap.
  if (secret.length > MAX_SECRET_LENGTH) return 'UNKNOWN';
  const now = ctx.now();
  const found = await repo.findCredential(ctx, hashOf(ctx, secret));
  if (!found) return 'UNKNOWN';
  if (found.revoked_at !== null) return 'REVOKED';
  if (found.expires_at !== null && found.expires_at <= now) return 'EXPIRED';
  // Whatever ends the sessions of a user ends the tokens that it signed in with.
  if (found.admin_user_id !== null && !isSignedIn(found)) return 'REVOKED';
  noteUse(ctx, found, now);
  return bearerOf(ctx, found);
}

const isSignedIn = ({ status, admin_generation, session_generation }: repo.Credential): boolean =>
  status === 'active' && admin_generation === session_generation;

function bearerOf(ctx: Ctx, found: repo.Credential): Bearer {
  const { id, name, role, tenant_id: tenantId, admin_user_id: userId } = found;
  const passwordProvenAt = found.password_proven_at;
  if (userId !== null) {
    const owes = owedBy(ctx, {
      mustChangePassword: readFlag(found.must_change_password),
      hasSecondFactor: found.second_factor_since !== null,
    });
    const held = heldOf(found);
    const permissions = owes === null ? held.permissions : [];
    const label = found.email ?? name;
    return { id, label, tenantId, userId, passwordProvenAt, owes, ...held, permissions };
  }
  return {
    id,
    label: name,
    tenantId,
    userId,
    passwordProvenAt,
    owes: null,
    roles: [role],
    permissions: permissionsHeld([role], words(found.role_permissions)),
    scopes: confined([role], readJsonOrNull<Scopes>(found.scopes) ?? {}),
  };
}

/** Written behind, at most once a minute: it may be lost and must not delay the answer (M1, M10). */
function noteUse(ctx: Ctx, found: repo.Credential, now: string): void {
  const before = isoTime(Date.parse(now) - TOUCH_EVERY_MS);
  if (found.last_used_at !== null && found.last_used_at > before) return;
  ctx
    .tx((ctx) => repo.touchLastUsed(ctx, { id: found.id, now, before }))
    .catch((error: unknown) =>
      ctx.log.warn({ err: error, adminTokenId: found.id }, 'last use was not noted'),
    );
}
