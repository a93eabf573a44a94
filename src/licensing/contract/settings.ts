import { z } from 'zod';
import type { ServiceLimits } from '#kernel/service/limits-in-force.ts';
import { bucketSettings, type Setting, setting } from '#kernel/settings.ts';
import { type BucketName, bounds, limits } from './limits.ts';

const group = 'licensing';
const SECONDS_PER_DAY = 86_400;

/** Runtime settings of the license service (licensing section 4.6), as far as their subject exists. */
export const limitsEnabled = setting({
  key: 'licensing.limits.enabled',
  group,
  description: 'Whether the documented rate limits apply',
  schema: z.boolean(),
  default: true,
});

export const readOnlyMayValidate = setting({
  key: 'licensing.read_only_may_validate',
  group,
  description: 'Whether READ_ONLY keys may call validate and validate-entitlement',
  schema: z.boolean(),
  default: false,
});

export const defaultLeaseSeconds = setting({
  key: 'licensing.default_lease_seconds',
  group,
  description: 'Default lease of a floating seat, when neither request nor policy sets one',
  schema: () => z.int().min(bounds.leaseSeconds.min).max(bounds.leaseSeconds.max),
  default: 3600,
});

export const requestLog = setting({
  key: 'licensing.request_log',
  group,
  description: 'Which API calls are recorded with their decision: off, denials, or all',
  schema: z.enum(['off', 'denials', 'all']),
  default: 'denials',
});

export const signResponses = setting({
  key: 'licensing.sign_responses',
  group,
  description: "Whether answers to requests with a nonce are signed with the product's online key",
  schema: z.boolean(),
  default: true,
});

export const endedActivationDays = setting({
  key: 'licensing.ended_activation_days',
  group,
  description: 'Days to keep activations that have ended; those that count as churn are kept as long',
  schema: () => z.int().min(1).max(36_500),
  default: 730,
});

export const requestLogDays = setting({
  key: 'licensing.request_log_days',
  group,
  description: 'Days to keep recorded API calls',
  schema: () => z.int().min(1).max(3650),
  default: 30,
});

export const inboxDays = setting({
  key: 'licensing.inbox_days',
  group,
  description: 'Days to keep the body of a processed purchase event; the event itself is kept forever',
  schema: () => z.int().min(1).max(3650),
  default: 90,
});

export const trashDays = setting({
  key: 'licensing.trash_days',
  group,
  description: 'Days that a deleted license stays in the trash before it is purged',
  schema: () => z.int().min(1).max(bounds.durationDays.max),
  default: 30,
});

export const timestampTtlSeconds = setting({
  key: 'licensing.timestamp_ttl_seconds',
  group,
  description: 'Seconds that a timestamp token proves an update answer to be recent',
  schema: () => z.int().min(60).max(31_536_000),
  default: SECONDS_PER_DAY,
});

/** The two overrides of every bucket (D15); a maximum of 0 lifts its limit. */
const overrides = bucketSettings<BucketName>({ prefix: 'licensing.limits', group }, limits);

/** The limits of the license service, as its surfaces apply them. */
export const licensingLimits: ServiceLimits = {
  enabled: limitsEnabled,
  settings: overrides,
  failures: limits.failures,
};

export const licensingSettings: readonly Setting[] = [
  limitsEnabled,
  readOnlyMayValidate,
  defaultLeaseSeconds,
  trashDays,
  signResponses,
  requestLog,
  endedActivationDays,
  requestLogDays,
  inboxDays,
  timestampTtlSeconds,
  ...Object.values(overrides).flatMap(({ max, windowSeconds }) => [max, windowSeconds]),
] as readonly Setting[];
