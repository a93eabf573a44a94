import type { Ctx } from '#kernel/context.ts';
import { isMissing, isOrdered } from './choose.ts';
import { rowsWanted } from './mint.ts';
import { type LicensedItem, licensedItems } from './queries.ts';
import type { LicenseMint } from './record.ts';
import * as repo from './repository.ts';

/** What a line of an order is to have and has not yet. */
export interface Missing {
  readonly item: LicensedItem;
  readonly units: number;
  /** Why the last try failed; null while nobody has tried. */
  readonly error: string | null;
}

/** What an order is missing, by line; a line that has everything is not among it. */
export async function missingOf(ctx: Ctx, orderId: string): Promise<Missing[]> {
  const items = await licensedItems(ctx, orderId);
  if (items.length === 0) return [];
  const mints = await repo.mintsOf(ctx, orderId);
  return items.flatMap((item) => {
    const own = mints.filter(({ orderItemId }) => orderItemId === item.id);
    const units = missingUnits(item, own);
    const error = own.findLast((mint) => isMissing(mint) && mint.error !== null)?.error ?? null;
    return units > 0 ? [{ item, units, error }] : [];
  });
}

/** Rows that a line is to have and has not, or whose license is not made yet. @param own rows of the line */
export const missingUnits = (item: LicensedItem, own: readonly LicenseMint[]): number =>
  rowsWanted(item, item.quantity - item.cancelledQuantity) -
  own.filter((mint) => isOrdered(mint) && !isMissing(mint)).length;
