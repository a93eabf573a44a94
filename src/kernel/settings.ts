import type { z } from 'zod';
import type { Ctx } from './context.ts';

/** A runtime setting: kept in the database, changed while the server runs (cli.md section 5). */
export interface Setting<T = unknown> {
  readonly key: string;
  readonly group: string;
  readonly description: string;
  readonly schema: z.ZodType<T>;
  readonly default: T;
  /** Kept sealed and shown masked. */
  readonly secret: boolean;
  /** Looks at a value before it is stored: what it names must exist. @throws AppError */
  check?(ctx: Ctx, value: T): Promise<void>;
}

/**
 * Declares one runtime setting.
 *
 * @param spec key (dotted, lower case), group, description, zod schema of the value, default; `secret` seals it; `check` judges what
 *   the schema cannot
 */
export function setting<T>(spec: {
  key: string;
  group: string;
  description: string;
  schema: z.ZodType<T>;
  default: T;
  secret?: boolean;
  check?: (ctx: Ctx, value: T) => Promise<void>;
}): Setting<T> {
  return { secret: false, ...spec };
}
