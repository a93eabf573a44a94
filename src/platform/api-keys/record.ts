import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { integer } from '#kernel/http/fields.ts';
import type { OwnLimit } from '#kernel/http/rate-limit.ts';
import { defineIds } from '#kernel/ids.ts';
import { tenantColumn } from '../tenants/index.ts';

export const ids = defineIds({ apiKey: 'key' });

export const SERVICES = ['license', 'store'] as const;
export type Service = (typeof SERVICES)[number];

const Limits: () => z.ZodType<Record<string, OwnLimit>> = () =>
  z.record(z.string(), z.object({ max: integer(-1), windowSeconds: integer(1) }));

/** API keys of both services (licensing section 8.7). The secret itself is not stored. */
export const apiKeyRecord = record(
  'api_keys',
  {
    id: column.id(ids.apiKey),
    service: column.choice(SERVICES),
    tenantId: tenantColumn(),
    name: column.text(100, 1),
    /** The first characters of the secret, for telling keys apart. */
    prefix: column.text(20, 1),
    keyHash: column.text(255, 1).secret(),
    previousKeyHash: column.text(255, 1).nullable().secret(),
    /** Until when the secret before this one is valid. */
    previousUntil: column.time().nullable(),
    scope: column.text(100).nullable(),
    scopes: column.texts(100, 100),
    productIds: column.texts(30, 1000).nullable(),
    ipAllowlist: column.texts(100, 50),
    allowedOrigins: column.texts(2048, 20),
    limits: column.json(Limits).nullable(),
    expiresAt: column.time().nullable(),
    revokedAt: column.time().nullable(),
    lastUsedAt: column.time().nullable(),
    createdBy: column.text(255).nullable().aside(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['keyHash'], kept: 'as long as the installation: a revoked key still names its calls' },
);

export type ApiKey = ValuesOf<typeof apiKeyRecord>;
