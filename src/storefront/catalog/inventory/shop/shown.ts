import { setImmediate } from 'node:timers/promises';
import type { Ctx } from '#kernel/context.ts';
import { counterSeen, readCounter } from '#kernel/db/counters.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { STOCK_STATES, type StockState } from '../record.ts';
import { STOCK_COUNTER } from '../repository.ts';
import { listCounts, listStates, type StateRow, trackedSince } from './queries.ts';

/** How shoppers find the variants of a product. */
export interface ProductStock {
  /** The best of them: `low` where all that can be bought are low, `out` where none can be bought. */
  readonly state: StockState;
  /** Of the variants whose stock is tracked, by their ids. */
  readonly states: ReadonlyMap<string, StockState>;
}

/** Nothing of it is tracked. */
export const UNTRACKED: ProductStock = { state: 'in', states: new Map() };

/** How shoppers find products. */
export interface ShownStock {
  /** Rises with each change of it. */
  readonly version: number;
  of(productId: string): ProductStock;
}

interface Kept extends ShownStock {
  version: number;
  reading: Promise<void> | null;
  readonly products: Map<string, ProductStock>;
}

/** One for each process: what has changed is read again when the counter is another one. */
const held = memoryKey('stock of the shop', (): Kept => {
  const products = new Map<string, ProductStock>();
  return { version: -1, reading: null, products, of: (id) => products.get(id) ?? UNTRACKED };
});

/** So many products are read at a time; who else waits is answered between. */
const AT_ONCE = 500;

/** How shoppers find products, as it is in the database now. */
export async function shownStock(ctx: Ctx): Promise<ShownStock> {
  const kept = ctx.memory.of(held);
  const version = await stockVersion(ctx);
  // What another request reads at the moment may have been begun before the last change.
  while (kept.version < version) {
    kept.reading ??= refresh(ctx, kept).finally(() => {
      kept.reading = null;
    });
    await kept.reading;
  }
  return kept;
}

/** Another one when a shopper finds something else in stock than before. */
export const stockVersion = (ctx: Ctx): Promise<number> => counterSeen(ctx, STOCK_COUNTER);

async function refresh(ctx: Ctx, kept: Kept): Promise<void> {
  // Before the rows: what changes while they are read is read again.
  const version = (await readCounter(ctx, STOCK_COUNTER)) ?? 0;
  const changed = await trackedSince(ctx, kept.version);
  for (let from = 0; from < changed.length; from += AT_ONCE) {
    const ids = changed.slice(from, from + AT_ONCE);
    const rows = Map.groupBy(await listStates(ctx, ids), ({ productId }) => productId);
    for (const id of ids) keep(kept.products, id, rows.get(id) ?? []);
    await setImmediate();
  }
  kept.version = version;
}

function keep(products: Map<string, ProductStock>, id: string, rows: readonly StateRow[]): void {
  const tracked = rows.filter(({ isTracked }) => isTracked);
  if (tracked.length === 0) return void products.delete(id);
  const states = new Map(tracked.map(({ variantId, state }) => [variantId, state]));
  const state = STOCK_STATES.find((one) => rows.some((row) => row.state === one)) ?? 'out';
  products.set(id, { state, states });
}

/** What can be bought of a variant at this moment. */
export interface Count {
  readonly variantId: string;
  readonly available: number;
  readonly allowBackorder: boolean;
}

/** What can be bought of the tracked variants of a product at this moment, by their ids: one compiled statement. */
export const countsOf = async (ctx: Ctx, productId: string): Promise<ReadonlyMap<string, Count>> =>
  new Map((await listCounts(ctx, productId)).map((one) => [one.variantId, one]));
