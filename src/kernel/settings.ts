import type { z } from 'zod';

/** A runtime setting: kept in the database, changed while the server runs (cli.md section 5). */
export interface Setting<T = unknown> {
  readonly key: string;
  readonly group: string;
  readonly description: string;
  readonly schema: z.ZodType<T>;
  readonly default: T;
  /** Kept sealed and shown masked. */
  readonly secret: boolean;
}

/**
 * Declares one runtime setting.
 *
 * @param spec key (dotted, lower case), group, description, zod schema of the value, default; `secret` seals it
 */
export function setting<T>(spec: {
  key: string;
  group: string;
  description: string;
  schema: z.ZodType<T>;
  default: T;
  secret?: boolean;
}): Setting<T> {
  return { secret: false, ...spec };
}

/** Reads settings from memory: request paths ask it freely. */
export interface SettingsReader {
  get<T>(setting: Setting<T>): T;
  /** Rises with every change that was seen, so that what is derived from settings can be made anew. */
  readonly version: number;
}
