import { z } from 'zod';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { type AdminToken, adminTokenRecord } from './record.ts';

/** A bearer token as staff see it, never with the hash of its secret. */
export const AdminTokenView = later(() =>
  z
    .object({
      ...storedView(adminTokenRecord, ['id', 'name']).shape,
      /** null for the token of somebody who signed in: it holds the roles of its user. */
      role: z.string().nullable(),
      /** Slug; null when it opens every tenant of the installation. */
      tenant: z.string().nullable(),
      /** Ids of the products that it is confined to; null for every one. */
      productIds: z.array(z.string()).nullable(),
      /** Who signed in with it; null for a token of a program. */
      userId: z.string().nullable(),
      ...storedView(adminTokenRecord, ['prefix', 'expiresAt', 'lastUsedAt', 'revokedAt', 'createdAt']).shape,
    })
    .meta({ id: 'AdminToken' }),
);
export type AdminTokenView = z.output<typeof AdminTokenView>;

/** @param slug of its tenant; null for a token of every tenant */
export const adminTokenView = (token: AdminToken, slug: string | null): AdminTokenView =>
  shownBy(AdminTokenView, {
    ...token,
    role: token.role === '' ? null : token.role,
    tenant: slug,
    productIds: token.scopes?.license_product ? [...token.scopes.license_product] : null,
    userId: token.adminUserId,
  });
