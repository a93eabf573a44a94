import type { AdminToken } from '#platform/admin-tokens/index.ts';

/** An admin token as the command line shows it (cli.md section 2). */
export type AdminTokenView = ReturnType<typeof adminTokenView>;

/**
 * The fields of `AdminToken`; never the hash of its secret.
 *
 * @param slug of the tenant that the command acts for: the only one whose tokens it sees
 */
export const adminTokenView = (token: AdminToken, slug: string) => ({
  id: token.id,
  name: token.name,
  role: token.role,
  /** null: every tenant of the installation. */
  tenant: token.tenantId === null ? null : slug,
  prefix: token.prefix,
  expiresAt: token.expiresAt,
  lastUsedAt: token.lastUsedAt,
  revokedAt: token.revokedAt,
});
