import type { Ctx } from '#kernel/context.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import { requireGrantable } from '#platform/roles/index.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import type { ApiKeyScope } from '#storefront/contract/scopes.ts';

/** What a key of the shop is made of. */
export interface StoreKeyInput {
  readonly name: string;
  readonly scopes: readonly ApiKeyScope[];
  readonly ipAllowlist?: readonly string[] | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
  /** ISO time, or null for never. */
  readonly expiresAt?: string | null | undefined;
}

/**
 * Makes a key of the shop's API. Its secret is returned once. Nobody gives what they lack (admin.md 6.1).
 *
 * @throws AppError INSUFFICIENT_SCOPE; VALIDATION_ERROR for a bad name, range, origin or a past expiry
 */
export function create(
  ctx: Ctx,
  { name, scopes, ipAllowlist = [], allowedOrigins = [], expiresAt = null }: StoreKeyInput,
  how: { note?: string | undefined } = {},
): Promise<{ apiKey: apiKeys.ApiKey; secret: string }> {
  requireGrantable(ctx.actor, scopes);
  const key = {
    service: 'store' as const,
    name,
    // A license key has one scope, which stands apart from the list.
    scope: null,
    scopes: [...new Set(scopes)],
    ipAllowlist: [...ipAllowlist],
    allowedOrigins: [...allowedOrigins],
    expiresAt,
  };
  return apiKeys.create(ctx.with({ tenantId: DEFAULT_TENANT_ID }), key, how);
}

/**
 * Gives a key a new secret: whoever gets it can do what the key can.
 *
 * @param overlapSeconds how long the old secret stays valid
 * @throws AppError NOT_FOUND; INSUFFICIENT_SCOPE; CONFLICT for a revoked key
 */
export async function rotate(
  ctx: Ctx,
  id: string,
  overlapSeconds: number,
  how: { note?: string | undefined } = {},
): Promise<{ apiKey: apiKeys.ApiKey; secret: string }> {
  requireGrantable(ctx.actor, (await apiKeys.get(ctx, 'store', id)).scopes);
  return apiKeys.rotate(ctx, 'store', id, overlapSeconds, how);
}
