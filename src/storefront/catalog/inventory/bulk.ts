import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { adjustBy, unknownVariant } from './levels.ts';
import { idsOfSkus } from './queries.ts';
import type { MovementReason } from './record.ts';
import * as repo from './repository.ts';
import { BulkAdjustment, type BulkAdjustmentInput } from './schemas.ts';

/** Why one of many was refused. */
export interface Refused {
  /** Its place among those that were sent, from 0. */
  readonly index: number;
  readonly error: AppError;
}

type Item = BulkAdjustmentInput['items'][number];

/** So many are changed in one transaction: others wait for the writer of SQLite meanwhile. */
const AT_ONCE = 25;

/**
 * Changes the stock of many variants, each named by its id or its SKU: a refused one costs only itself.
 *
 * @returns how many were changed or stood as counted, and why the others were not
 */
export async function bulkAdjust(
  ctx: Ctx,
  input: BulkAdjustmentInput,
): Promise<{ updated: number; errors: Refused[] }> {
  const { items, reason, note } = checkInput(BulkAdjustment, input);
  return adjustAll(ctx, items, { reason, note });
}

/** As `bulkAdjust`, however many there are. */
export async function adjustAll(
  ctx: Ctx,
  items: readonly Item[],
  how: {
    readonly reason: MovementReason;
    readonly note?: string | null | undefined;
  },
): Promise<{ updated: number; errors: Refused[] }> {
  const skus = items.flatMap(({ variantId, sku }) => (variantId === undefined && sku ? [sku] : []));
  const known = await idsOfSkus(ctx, skus);
  const errors: Refused[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const some = items.slice(from, from + AT_ONCE).map((item, at) => ({ item, index: from + at }));
    errors.push(...(await ctx.tx((ctx) => adjustSome(ctx, some, known, how))));
  }
  return { updated: items.length - errors.length, errors };
}

async function adjustSome(
  ctx: Ctx,
  some: readonly { readonly item: Item; readonly index: number }[],
  known: ReadonlyMap<string, string>,
  how: Parameters<typeof adjustBy>[3],
): Promise<Refused[]> {
  const named = some.map((one) => ({ ...one, id: idOf(one.item, known) }));
  const errors: Refused[] = [];
  named.sort((one, other) => (one.id < other.id ? -1 : 1));
  // In the order of their ids, as everybody locks levels, and all before the first change raises the counter.
  for (const id of new Set(named.map((one) => one.id))) await repo.lockLevel(ctx, id);
  for (const { item, index, id } of named)
    try {
      if (item.variantId === undefined && item.sku === undefined)
        throw invalidField('variant_id', 'identify a variant by its variant_id or its sku');
      if (id === '') unknownSku(item.sku ?? '');
      await adjustBy(ctx, id, item, how);
    } catch (error) {
      // A refusal comes before anything of it is written.
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      errors.push({ index, error });
    }
  return errors.sort((one, other) => one.index - other.index);
}

const idOf = ({ variantId, sku }: Item, known: ReadonlyMap<string, string>): string =>
  variantId ?? known.get(normed(sku ?? '')) ?? '';

const normed = (sku: string): string => sku.trim().toUpperCase();

function unknownSku(sku: string): never {
  return unknownVariant(`with SKU ${sku}`);
}
