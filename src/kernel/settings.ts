import { z } from 'zod';
import type { Ctx } from './context.ts';
import { LONGEST_WINDOW_SECONDS, MOST_REQUESTS, type RateLimit, UNLIMITED } from './http/rate-limit.ts';
import { once } from './sharing.ts';

/** A runtime setting: kept in the database, changed while the server runs (cli.md section 5). */
export interface Setting<T = unknown> {
  readonly key: string;
  readonly group: string;
  readonly description: string;
  readonly schema: z.ZodType<T>;
  readonly default: T;
  /** Kept sealed and shown masked. */
  readonly secret: boolean;
  /** What is stored in place of what was sent: text of which a part may not stand. */
  tidy?(value: T): Promise<T>;
  /** False for one whose subject this version does not have: lists leave it out, and it keeps its default. */
  readonly isOffered: boolean;
  /** Looks at a value before it is stored: what it names must exist. @throws AppError */
  check?(ctx: Ctx, value: T): Promise<void>;
}

/**
 * Declares one runtime setting.
 *
 * @param spec key (dotted, lower case), group, description, zod schema of the value, default; `secret` seals it; `check` judges what
 *   the schema cannot, `tidy` takes away what may not be stored. A function makes the schema when it is first asked for
 *   (decision 0096): most settings are never changed
 */
export function setting<T>(spec: {
  key: string;
  group: string;
  description: string;
  schema: z.ZodType<T> | (() => z.ZodType<T>);
  default: T;
  secret?: boolean;
  isOffered?: boolean;
  check?: (ctx: Ctx, value: T) => Promise<void>;
  tidy?: (value: T) => Promise<T>;
}): Setting<T> {
  const { schema: given, ...rest } = spec;
  const schema = typeof given === 'function' ? once(given) : () => given;
  return {
    secret: false,
    isOffered: true,
    ...rest,
    get schema() {
      return schema();
    },
  };
}

/** The value of a text that may be missing; an empty one counts so. @param most characters */
export const maybe = (most: number) =>
  z
    .string()
    .max(most, `must have at most ${most} characters`)
    .nullable()
    .overwrite((value) => (value === null || value.trim() === '' ? null : value.trim()));

interface BucketSettings {
  readonly max: Setting<number>;
  readonly windowSeconds: Setting<number>;
}

/**
 * The two settings that override each bucket of a service (D15); a maximum of 0 lifts its limit.
 *
 * @param prefix of their keys: `<prefix>.<bucket>.max`
 */
export function bucketSettings<N extends string>(
  { prefix, group }: { prefix: string; group: string },
  limits: Readonly<Record<N, RateLimit>>,
): Record<N, BucketSettings> {
  const of = ([name, rule]: [string, RateLimit]): [string, BucketSettings] => [
    name,
    {
      max: setting({
        key: `${prefix}.${name}.max`,
        group,
        description: `Number of requests per window in the limit ${name}; ${UNLIMITED} for no limit`,
        schema: () => z.int().min(UNLIMITED).max(MOST_REQUESTS),
        default: rule.max,
      }),
      windowSeconds: setting({
        key: `${prefix}.${name}.windowSeconds`,
        group,
        description: `Length of the window of the limit ${name} in seconds`,
        schema: () => z.int().min(1).max(LONGEST_WINDOW_SECONDS),
        default: rule.windowSeconds,
      }),
    },
  ];
  return Object.fromEntries((Object.entries(limits) as [string, RateLimit][]).map(of)) as Record<
    N,
    BucketSettings
  >;
}
