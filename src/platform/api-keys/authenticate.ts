import { isoTime } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { readJson, readJsonOrNull } from '#kernel/db/columns.ts';
import { inRanges, parseRange } from '#kernel/http/client-address.ts';
import type { OwnLimit } from '#kernel/http/rate-limit.ts';
import { hashOf } from './api-keys.ts';
import type { Service } from './record.ts';
import * as repo from './repository.ts';

/** A live API key, as the surfaces need it. */
export interface Identity {
  id: string;
  name: string;
  tenantId: string;
  scope: string | null;
  /** Of a key of the store; a license key has one scope. */
  scopes: readonly string[];
  productIds: readonly string[] | null;
  limits: Readonly<Record<string, OwnLimit>> | null;
  allowedOrigins: readonly string[];
}

/** Why a presented key opens nothing, in the order in which it is judged (D19a). */
export type Refusal = 'UNKNOWN' | 'REVOKED' | 'EXPIRED' | 'IP_NOT_ALLOWED';

const MAX_SECRET_LENGTH = 200;
const TOUCH_EVERY_MS = 60_000;
const NONE: readonly string[] = [];

/**
 * Finds who a presented secret belongs to. Every refusal has done the same work before (M10).
 *
 * @param secret value of the header as it came
 * @param ip address of the client, normalised
 */
export async function authenticate(
  ctx: Ctx,
  service: Service,
  secret: string,
  ip: string,
): Promise<Identity | Refusal> {
  // No key is that long: hashing what anybody sends must stay cheap.
  if (secret.length > MAX_SECRET_LENGTH) return 'UNKNOWN';
  const now = ctx.now();
  const found = await repo.findCredential(ctx, hashOf(ctx, secret), now);
  if (!found || found.service !== service) return 'UNKNOWN';
  leaveTrail(ctx, found);
  if (found.revoked_at !== null) return 'REVOKED';
  if (found.expires_at !== null && found.expires_at <= now) return 'EXPIRED';
  if (found.ip_allowlist !== '[]' && !isAllowed(found.ip_allowlist, ip)) return 'IP_NOT_ALLOWED';
  noteUse(ctx, found, now);
  return {
    id: found.id,
    name: found.name,
    tenantId: found.tenant_id,
    scope: found.scope,
    scopes: found.service === 'store' ? readJson<string[]>(found.scopes) : NONE,
    productIds: readJsonOrNull(found.product_ids),
    limits: readJsonOrNull(found.limits),
    allowedOrigins: found.allowed_origins === '[]' ? NONE : readJson<string[]>(found.allowed_origins),
  };
}

/** Whether any live key of a service lists an origin (D19e). */
export const opensTo = async (ctx: Ctx, service: Service, origin: string): Promise<boolean> =>
  (await repo.listLiveOrigins(ctx, service)).includes(origin);

/** A refused key is told apart in the request log as well: its owner asks why. */
function leaveTrail({ origin: { trail } }: Ctx, found: repo.Credential): void {
  if (!trail) return;
  trail.credentialId = found.id;
  trail.tenantId = found.tenant_id;
}

const isAllowed = (allowlist: string, ip: string): boolean =>
  inRanges(ip, readJson<string[]>(allowlist).map(parseRange));

/** Written behind, at most once a minute: it may be lost and must not delay the answer (M1, M10). */
function noteUse(ctx: Ctx, found: repo.Credential, now: string): void {
  const before = isoTime(Date.parse(now) - TOUCH_EVERY_MS);
  if (found.last_used_at !== null && found.last_used_at > before) return;
  ctx
    .tx((ctx) => repo.touchLastUsed(ctx, { id: found.id, now, before }))
    .catch((error: unknown) => ctx.log.warn({ err: error, apiKeyId: found.id }, 'last use was not noted'));
}
