import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { normalEmail } from '#licensing/catalog/customers/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import type { KnownIds, RowAsked } from './bulk-row.ts';

/** The name that a row of a bulk file has in every run: its license is found again by it. */
export interface RowKey {
  /** Idempotency key of its license. */
  key: string;
  /** Somebody gave it to the row or to the run, so that a repetition is meant. */
  isNamed: boolean;
}

/**
 * Knows a row again after the file was repaired, cut or sorted: by its idempotencyKey, else by product, e-mail and
 * order within the run that --idempotency-key names.
 *
 * @param run value of --idempotency-key
 * @returns null for a product that does not exist
 */
export async function rowKeyOf(
  ctx: Ctx,
  { input, ownKey }: RowAsked,
  run: string | undefined,
  known: KnownIds,
): Promise<RowKey | null> {
  if (ownKey !== undefined) return { key: ownKey, isNamed: true };
  const productId = await productIdOf(ctx, input.productId, known.products);
  if (productId === null) return null;
  const subject = sha256Hex(
    JSON.stringify([productId, normalEmail(input.customerEmail), input.orderId ?? null]),
  );
  return { key: `${run ?? 'mint-bulk'}:${subject}`, isNamed: run !== undefined };
}

async function productIdOf(ctx: Ctx, named: string, known: KnownIds['products']): Promise<string | null> {
  const found = known.get(named);
  if (found !== undefined) return found;
  const id = (await products.find(ctx, named))?.id ?? null;
  known.set(named, id);
  return id;
}
