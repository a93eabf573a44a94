import { z } from 'zod';
import { type Setting, setting } from '#kernel/settings.ts';
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
  description: 'Whether READ_ONLY keys may call validate and validate-entitlement (D18)',
  schema: z.boolean(),
  default: false,
});

export const defaultLeaseSeconds = setting({
  key: 'licensing.default_lease_seconds',
  group,
  description: 'Lease of a floating seat when neither request nor policy names one (D73)',
  schema: z.int().min(bounds.leaseSeconds.min).max(bounds.leaseSeconds.max),
  default: 3600,
});

interface BucketSettings {
  max: Setting<number>;
  windowSeconds: Setting<number>;
}

/** The two overrides of every bucket (D15). `failures.max` 0 switches that check off (D19d). */
export const bucketSettings = Object.fromEntries(
  Object.entries(limits).map(([name, rule]) => [
    name,
    {
      max: setting({
        key: `licensing.limits.${name}.max`,
        group,
        description: `Requests of bucket ${name} per window`,
        schema: z
          .int()
          .min(name === 'failures' ? 0 : 1)
          .max(1_000_000_000),
        default: rule.max as number,
      }),
      windowSeconds: setting({
        key: `licensing.limits.${name}.windowSeconds`,
        group,
        description: `Seconds of a window of bucket ${name}`,
        schema: z.int().min(1).max(SECONDS_PER_DAY),
        default: rule.windowSeconds as number,
      }),
    },
  ]),
) as Record<BucketName, BucketSettings>;

export const licensingSettings: readonly Setting[] = [
  limitsEnabled,
  readOnlyMayValidate,
  defaultLeaseSeconds,
  ...Object.values(bucketSettings).flatMap(({ max, windowSeconds }) => [max, windowSeconds]),
] as readonly Setting[];
