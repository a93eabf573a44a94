import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { type ApiKey, apiKeyRecord } from './record.ts';

/** An API key as staff see it, never with the hash of its secret. */
export const ApiKeyView = later(() =>
  z
    .object({
      ...storedView(apiKeyRecord, ['id', 'name', 'prefix', 'service', 'scope', 'scopes']).shape,
      ...storedView(apiKeyRecord, ['productIds', 'ipAllowlist', 'allowedOrigins']).shape,
      /** Its own limits by bucket; a maximum of 0 is none. */
      limits: z.record(z.string(), z.object({ max: z.int(), windowSeconds: z.int() })).nullable(),
      ...storedView(apiKeyRecord, ['expiresAt']).shape,
      previousUntil: instant()
        .nullable()
        .describe('Until when the secret before the last rotation is valid; null without one'),
      ...storedView(apiKeyRecord, ['lastUsedAt', 'revokedAt', 'createdAt', 'updatedAt']).shape,
      calls24h: count().describe(
        'Calls in the last 24 hours, by hour; those of the last ten seconds may be missing',
      ),
    })
    .meta({ id: 'ApiKey' }),
);
export type ApiKeyView = z.output<typeof ApiKeyView>;

/** @param calls24h that the key's service counted */
export const apiKeyView = (key: ApiKey, calls24h: number): ApiKeyView =>
  shownBy(ApiKeyView, { ...key, calls24h });

/** With the requests that limits refused in the last 24 hours. */
export const ApiKeyDetails = later(() =>
  ApiKeyView.extend({
    refusals: z.array(
      z.object({
        bucket: z.string(),
        limit: z.string(),
        count: z.int(),
        firstAt: instant(),
        lastAt: instant(),
        /** Raises the limit. */
        command: z.string(),
      }),
    ),
  }).meta({ id: 'ApiKeyDetails' }),
);
