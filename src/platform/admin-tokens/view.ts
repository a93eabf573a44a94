import { z } from 'zod';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { type AdminToken, adminTokenRecord } from './record.ts';

/** A bearer token as staff see it, never with the hash of its secret. */
export const AdminTokenView = z
  .object({
    ...storedView(adminTokenRecord, ['id', 'name', 'role']).shape,
    /** Slug; null when it opens every tenant of the installation. */
    tenant: z.string().nullable(),
    ...storedView(adminTokenRecord, ['prefix', 'expiresAt', 'lastUsedAt', 'revokedAt']).shape,
  })
  .meta({ id: 'AdminToken' });
export type AdminTokenView = z.output<typeof AdminTokenView>;

/** @param slug of the tenant that the caller acts for: the only one whose tokens it sees */
export const adminTokenView = (token: AdminToken, slug: string): AdminTokenView =>
  shownBy(AdminTokenView, { ...token, tenant: token.tenantId === null ? null : slug });
