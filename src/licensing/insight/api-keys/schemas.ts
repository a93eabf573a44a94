import { z } from 'zod';
import { integer, oneOf, optional, text, timestamp } from '#kernel/http/fields.ts';
import { LONGEST_WINDOW_SECONDS, MOST_REQUESTS, type OwnLimit, UNLIMITED } from '#kernel/http/rate-limit.ts';
import { later } from '#kernel/sharing.ts';
import { API_KEY_SCOPES } from '#licensing/contract/enumerations.ts';
import { bucketNames } from '#licensing/contract/limits.ts';

const MOST_PRODUCTS = 1000;
const MOST_RANGES = 50;
const MOST_ORIGINS = 20;
/** A week. */
const LONGEST_OVERLAP_SECONDS = 604_800;

const listOf = (longest: number, most: number) =>
  z.array(text({ min: 1, max: longest }), { error: 'must be a list' }).max(most);

/** Other faults, such as a bucket that does not exist, are said in the words of zod. */
const notAnObject = (example: string) => (issue: { code?: string | undefined }) =>
  issue.code === 'invalid_type' ? `must be an object such as ${example}` : undefined;

/** A maximum of 0 lifts the limit; null in place of one takes the key's own away. */
const ownLimit = () =>
  z
    .strictObject(
      {
        max: integer(UNLIMITED, MOST_REQUESTS),
        windowSeconds: integer(1, LONGEST_WINDOW_SECONDS),
      },
      { error: notAnObject('{"max": 60, "windowSeconds": 900}') },
    )
    .nullable()
    .optional();

type OwnLimits = Record<string, OwnLimit | null>;

const limits = () =>
  z
    .strictObject(Object.fromEntries(bucketNames.byKey.map((bucket) => [bucket, ownLimit()])), {
      error: notAnObject('{"write": {"max": 60, "windowSeconds": 900}}'),
    })
    .nullable() as unknown as z.ZodType<OwnLimits | null, OwnLimits | null>;

const changeable = {
  name: text({ min: 1, max: 100 }),
  /** Ids or slugs; null opens every product. */
  productIds: listOf(63, MOST_PRODUCTS).min(1).nullable().optional(),
  ipAllowlist: optional(listOf(100, MOST_RANGES)),
  allowedOrigins: optional(listOf(2048, MOST_ORIGINS)),
  limits: limits().optional(),
  expiresAt: timestamp().nullable().optional(),
};

export const ApiKeyCreate = z.strictObject({ ...changeable, scope: oneOf(API_KEY_SCOPES) });
export const ApiKeyUpdate = later(() => z.strictObject({ ...changeable, name: optional(changeable.name) }));
export const ApiKeyRevokeBody = z
  .strictObject({ reason: optional(text({ max: 500 })) })
  .meta({ id: 'ApiKeyRevokeBody' });
export const ApiKeyRotateBody = later(() =>
  z
    .strictObject({ overlapSeconds: optional(integer(0, LONGEST_OVERLAP_SECONDS)) })
    .meta({ id: 'ApiKeyRotateBody' }),
);
