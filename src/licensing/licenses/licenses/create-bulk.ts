import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { invalidInput } from '#kernel/service/invalid.ts';
import { type Created, create } from './create.ts';
import { CreateItem } from './schemas.ts';

/** One result of a bulk request, in input order. */
export type BulkItem = { created: Created } | { error: AppError };

/**
 * Creates licenses one by one, each in a transaction of its own, so that a bad item costs only itself
 * (spec POST /api/v1/license/create-bulk; D54).
 *
 * @param items 1 to 20 bodies as they came
 * @param idempotencyKey each item uses it with the suffix `:<index>`
 */
export async function createBulk(
  ctx: Ctx,
  items: readonly unknown[],
  idempotencyKey: string | undefined,
): Promise<BulkItem[]> {
  const results: BulkItem[] = [];
  for (const [index, item] of items.entries()) {
    const parsed = CreateItem.safeParse(item);
    const idempotency = idempotencyKey
      ? { namespace: 'api' as const, key: `${idempotencyKey}:${index}` }
      : null;
    if (!parsed.success) results.push({ error: invalidInput(parsed.error.issues) });
    else results.push(await attempt(() => create(ctx, parsed.data, { source: 'BULK', idempotency })));
  }
  return results;
}

/** A refusal is the item's result; anything else is a defect and ends the request. */
async function attempt(run: () => Promise<Created>): Promise<BulkItem> {
  try {
    return { created: await run() };
  } catch (error) {
    if (error instanceof AppError) return { error };
    throw error;
  }
}
