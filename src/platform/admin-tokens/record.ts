import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';
import { tenantColumn } from '../tenants/index.ts';

export const ids = defineIds({ adminToken: 'adt' });

/** Bearer tokens of the admin APIs. The secret itself is not stored. */
export const adminTokenRecord = record(
  'admin_tokens',
  {
    id: column.id(ids.adminToken),
    name: column.text(100, 1),
    role: column.text(100, 1),
    /** The tenant that it acts for; null for every tenant of the installation. */
    tenantId: tenantColumn().nullable(),
    /** The first characters of the secret, for telling tokens apart. */
    prefix: column.text(20, 1),
    tokenHash: column.text(255, 1).secret(),
    expiresAt: column.time().nullable(),
    revokedAt: column.time().nullable(),
    lastUsedAt: column.time().nullable(),
    createdBy: column.text(255).nullable().aside(),
    createdAt: column.time(),
    updatedAt: column.time().aside(),
  },
  { natural: ['tokenHash'], kept: 'as long as the installation: a revoked token still names what it did' },
);

/** A bearer token, without its secret. */
export type AdminToken = ValuesOf<typeof adminTokenRecord>;
