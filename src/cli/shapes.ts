/** Schemas that the answers of several commands share (cli.md section 2). */
import { z } from 'zod';

/** ISO 8601 UTC with milliseconds. */
export const Instant = z.iso.datetime({ precision: 3 });

/** A secret that was made. */
export const madeSecret = z.string().optional();

/** Present on the plan of a change. */
export const dryRun = z.literal(true).optional();

/** `Result`: what was done, and to which object. */
export const resultShape = (actions: [string, ...string[]]) =>
  z.strictObject({
    ok: z.literal(true),
    action: z.literal(actions),
    id: z.string(),
    changed: z.boolean(),
    dryRun,
  });

/** `Page<T>`. */
export const pageShape = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    items: z.array(item),
    pagination: z.strictObject({ page: z.int(), limit: z.int(), total: z.int(), totalPages: z.int() }),
  });

/** `Batch` whose successful results hold the fields of `result`. */
export const batchShape = <S extends z.ZodRawShape>(result: z.ZodObject<S>) =>
  z.strictObject({
    results: z.array(
      z.union([
        z.strictObject({ index: z.int(), success: z.literal(true), ...result.shape }),
        z.strictObject({
          index: z.int(),
          success: z.literal(false),
          error: z.strictObject({
            code: z.string(),
            message: z.string(),
            details: z.record(z.string(), z.unknown()),
          }),
        }),
      ]),
    ),
    summary: z.strictObject({ total: z.int(), succeeded: z.int(), failed: z.int() }),
    dryRun,
  });
