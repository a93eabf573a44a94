import type { Ctx } from '#kernel/context.ts';
import { refuseForm } from '#kernel/http/page.ts';
import { amountIn } from '#storefront/contract/amount.ts';
import { variantOfSku } from '#storefront/pricing/price-lists/index.ts';
import type { LineSent } from './lines.ts';

/** An amount of a field; undefined for an empty one. @throws a refusal of the form */
export function centsIn(field: string, typed: string, currency: string): number | undefined {
  if (typed === '') return undefined;
  const read = amountIn(typed, currency);
  if ('fault' in read) throw refuseForm(read.fault, { [field]: read.fault });
  return read.value;
}

const WHOLE = /^\d{1,3}$/;

/** Units of a field. @throws a refusal of the form */
export function unitsIn(field: string, typed: string): number {
  if (WHOLE.test(typed)) return Number(typed);
  const fault = `“${typed.slice(0, 40)}” is not a quantity; enter a whole number from 1 to 999`;
  throw refuseForm(fault, { [field]: fault });
}

/**
 * Lines as staff type them, one a line: `MUG-1, 2` or `MUG-1, 2, 15.00` with a price of its own.
 *
 * @throws a refusal of the form for an SKU that no product has, and for what is not a quantity or a price
 */
export async function linesIn(ctx: Ctx, field: string, typed: string, currency: string): Promise<LineSent[]> {
  const found: LineSent[] = [];
  for (const line of typed.split(/\r?\n/).filter((one) => one.trim() !== '')) {
    const [sku = '', quantity = '1', ...price] = line.split(/[,;\t]/).map((part) => part.trim());
    const variantId = await variantOfSku(ctx, sku);
    const fault = `no product has the SKU ${sku.slice(0, 100)}`;
    if (variantId === null) throw refuseForm(fault, { [field]: fault });
    found.push({
      variantId,
      quantity: unitsIn(field, quantity),
      unitCents: centsIn(field, price.join(','), currency),
    });
  }
  return found;
}
