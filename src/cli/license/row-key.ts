import { sha256Hex } from '#kernel/crypto.ts';
import { normalEmail } from '#licensing/catalog/customers/index.ts';
import type { RowAsked } from '#licensing/licenses/licenses/index.ts';
import { at, type Desk } from '../desk/desk.ts';
import { unlessMissing } from '../desk/missing.ts';
import type { OneProduct } from '../product/twin.ts';

/** The name that a row of a bulk file has in every run: its license is found again by it. */
export interface RowKey {
  /** Idempotency key of its license. */
  key: string;
  /** Somebody gave it to the row or to the run, so that a repetition is meant. */
  isNamed: boolean;
}

/** Ids of the products that rows name, looked up once for a file; null for one that does not exist. */
export type KnownProducts = Map<string, string | null>;

/**
 * Knows a row again after the file was repaired, cut or sorted: by its idempotencyKey, else by product, e-mail and
 * order within the run that --idempotency-key names.
 *
 * @param run value of --idempotency-key
 * @returns null for a product that does not exist
 */
export async function rowKeyOf(
  desk: Desk,
  { input, ownKey }: RowAsked,
  run: string | undefined,
  known: KnownProducts,
): Promise<RowKey | null> {
  if (ownKey !== undefined) return { key: ownKey, isNamed: true };
  const productId = await productIdOf(desk, input.productId, known);
  if (productId === null) return null;
  const subject = sha256Hex(
    JSON.stringify([productId, normalEmail(input.customerEmail), input.orderId ?? null]),
  );
  return { key: `${run ?? 'mint-bulk'}:${subject}`, isNamed: run !== undefined };
}

async function productIdOf(desk: Desk, named: string, known: KnownProducts): Promise<string | null> {
  const found = known.get(named);
  if (found !== undefined) return found;
  const answer = await desk.get<OneProduct>(at`products/${named}`).catch(unlessMissing);
  const id = answer?.product.id ?? null;
  known.set(named, id);
  return id;
}
