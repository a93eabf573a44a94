import { isoTime } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { hashOf } from './admin-tokens.ts';
import * as repo from './repository.ts';

/** Who presented a live token. */
export interface Bearer {
  id: string;
  name: string;
  role: string;
  /** null acts for every tenant of the installation. */
  tenantId: string | null;
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
  noteUse(ctx, found, now);
  return { id: found.id, name: found.name, role: found.role, tenantId: found.tenant_id };
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
