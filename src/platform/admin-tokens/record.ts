import { z } from 'zod';
import type { Scopes } from '#kernel/actor.ts';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';
import { tenantColumn } from '../tenants/index.ts';

const ScopesSchema = () => z.record(z.string(), z.array(z.string())) as z.ZodType<Scopes>;

export const ids = defineIds({ adminToken: 'adt' });

/** Bearer tokens of the admin APIs. The secret itself is not stored. */
export const adminTokenRecord = record(
  'admin_tokens',
  {
    id: column.id(ids.adminToken),
    name: column.text(100, 1),
    /** Name of the role that it holds; empty for the token of somebody who signed in: it holds what its user does. */
    role: column.text(100),
    /** The tenant that it acts for; null for every tenant of the installation. */
    tenantId: tenantColumn().nullable(),
    /** Rows that it is confined to beside its tenant; null for none. */
    scopes: column.json<Scopes>(ScopesSchema).nullable(),
    /** Who signed in with it, and the generation of the user's sessions at that time: another one ends it. */
    adminUserId: column.text(30).nullable(),
    adminGeneration: column.integer(0).nullable().aside(),
    /** When its user last proved the password by it. */
    passwordProvenAt: column.time().nullable().aside(),
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
