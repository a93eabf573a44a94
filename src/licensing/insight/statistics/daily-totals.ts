import type { Ctx } from '#kernel/context.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import type { Counts } from './daily/counts.ts';
import { addDailyTotals, lockProducts } from './daily/repository.ts';

interface Pending extends Counts {
  readonly productId: string;
  /** `2026-03-01` */
  readonly day: string;
}

/** What this process counted and did not write, by day and product: as many entries as there are products. */
const pending = memoryKey<{ entries: Map<string, Pending> }>('daily-totals', () => ({ entries: new Map() }));

/**
 * Counts an answer for the day of its product, in memory alone: `flushDailyTotals` writes it.
 *
 * @param now ISO 8601 UTC
 */
export function countDaily(ctx: Ctx, productId: string, now: string, counted: Counts): void {
  const { entries } = ctx.memory.of(pending);
  add(entries, { productId, day: now.slice(0, 10), ...counted });
}

/**
 * Writes what was counted for each product. What cannot be written waits for the next flush.
 *
 * @returns how many products and days were written
 * @throws what the database throws
 */
export async function flushDailyTotals(ctx: Ctx): Promise<number> {
  const memory = ctx.memory.of(pending);
  const taken = [...memory.entries.values()];
  if (taken.length === 0) return 0;
  memory.entries = new Map();
  try {
    return await write(ctx, taken);
  } catch (error) {
    for (const one of taken) add(memory.entries, one);
    throw error;
  }
}

/** Rows are locked in the order of their ids, as everywhere (C9); a product that was deleted has no days. */
const write = (ctx: Ctx, taken: readonly Pending[]): Promise<number> =>
  ctx.tx(async (ctx) => {
    const living = await lockProducts(ctx, [...new Set(taken.map(({ productId }) => productId))]);
    const rows = taken
      .filter(({ productId }) => living.has(productId))
      .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    for (const row of rows) await addDailyTotals(ctx, row);
    return rows.length;
  });

const keyOf = ({ productId, day }: Pick<Pending, 'productId' | 'day'>): string => `${productId} ${day}`;

function add(entries: Map<string, Pending>, one: Pending): void {
  const known = entries.get(keyOf(one));
  if (known) {
    known.validations += one.validations;
    known.denials += one.denials;
    known.heartbeats += one.heartbeats;
  } else entries.set(keyOf(one), { ...one });
}
