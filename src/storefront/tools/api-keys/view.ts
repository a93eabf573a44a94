import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { ApiKey } from '#platform/api-keys/index.ts';

/** A key of the shop's API as staff see it, never with the hash of its secret. */
export const StoreKeyView = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      prefix: z.string(),
      scopes: z.array(z.string()),
      ip_allowlist: z.array(z.string()),
      allowed_origins: z.array(z.string()),
      expires_at: instant().nullable(),
      previous_until: instant()
        .nullable()
        .describe('Until when the secret before the last rotation is valid; null without one'),
      last_used_at: instant().nullable(),
      revoked_at: instant().nullable(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'StoreApiKey' }),
);

export const storeKeyView = (key: ApiKey): z.output<typeof StoreKeyView> => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  ip_allowlist: key.ipAllowlist,
  allowed_origins: key.allowedOrigins,
  expires_at: key.expiresAt,
  previous_until: key.previousUntil,
  last_used_at: key.lastUsedAt,
  revoked_at: key.revokedAt,
  created_at: key.createdAt,
  updated_at: key.updatedAt,
});
