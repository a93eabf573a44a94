import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import { statement } from '#kernel/db/statement.ts';
import { levelRecord, type StockState } from '../record.ts';

/** Variants belong to another capability, which writes stock through this one: their table goes by name here. */
const VARIANTS = 'product_variants';

const touched = statement<{ version: number }, { product_id: string }>((q, p) =>
  q({ l: levelRecord.table })
    .join({ v: VARIANTS }, 'v.id', 'l.variant_id')
    .where('l.state_version', '>', p('version'))
    .distinct('v.product_id'),
);
const tracked = statement<Record<never, never>, { product_id: string }>((q) =>
  q({ l: levelRecord.table })
    .join({ v: VARIANTS }, 'v.id', 'l.variant_id')
    .where('l.track_inventory', true)
    .distinct('v.product_id'),
);

/** Products of which a variant is found otherwise than at a version; at first all that have a tracked one. */
export async function trackedSince({ db }: Ctx, version: number): Promise<string[]> {
  const rows = await (version < 0 ? tracked.all(db, {}) : touched.all(db, { version }));
  return rows.map(({ product_id }) => product_id);
}

/** How shoppers find a variant. */
export interface StateRow {
  readonly productId: string;
  readonly variantId: string;
  readonly state: StockState;
  readonly isTracked: boolean;
}

/** Of every variant of some products. */
export async function listStates({ db }: Ctx, productIds: readonly string[]): Promise<StateRow[]> {
  const rows: { product_id: string; variant_id: string; state: StockState; track_inventory: unknown }[] =
    await db
      .knex({ l: levelRecord.table })
      .join({ v: VARIANTS }, 'v.id', 'l.variant_id')
      .whereIn('v.product_id', [...productIds])
      .whereNull('v.deleted_at')
      .select('v.product_id', 'l.variant_id', 'l.state', 'l.track_inventory');
  return rows.map(({ product_id, variant_id, state, track_inventory }) => ({
    productId: product_id,
    variantId: variant_id,
    state,
    isTracked: readFlag(track_inventory),
  }));
}

const counts = statement<
  { id: string },
  { variant_id: string; on_hand: number; reserved: number; allow_backorder: unknown }
>((q, p) =>
  q({ l: levelRecord.table })
    .join({ v: VARIANTS }, 'v.id', 'l.variant_id')
    .where('v.product_id', p('id'))
    .where('l.track_inventory', true)
    .select('l.variant_id', 'l.on_hand', 'l.reserved', 'l.allow_backorder'),
);

/** What can be bought of the tracked variants of a product. */
export const listCounts = async ({ db }: Ctx, productId: string) =>
  (await counts.all(db, { id: productId })).map((row) => ({
    variantId: row.variant_id,
    available: Math.max(0, row.on_hand - row.reserved),
    allowBackorder: readFlag(row.allow_backorder),
  }));
