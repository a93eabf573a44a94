import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { type Correction, correct } from '../../inventory/index.ts';
import { type Condition, changed, lock, storing, wholeFor } from '../change.ts';
import { change } from '../products.ts';
import { normed, type Variant } from '../record.ts';
import * as repo from '../repository.ts';
import { type ProductUpdateInput, VariantUpdate, type VariantUpdateInput } from '../schemas.ts';
import { skuText } from '../variant-input.ts';
import type { Whole } from '../whole.ts';

/** What changes of a product and of its variants, each by its id. */
export interface Rows {
  readonly product?: ProductUpdateInput;
  readonly variants: ReadonlyMap<string, VariantUpdateInput>;
  /** What is on hand, where somebody changed the number that was shown. */
  readonly stock?: readonly Correction[];
}

/** Why a cell was not taken. `row`: id of a variant; null for the product. */
export interface Fault {
  readonly row: string | null;
  readonly field: string;
  readonly text: string;
  /** Something else is stored by now than what was shown in the cell. */
  readonly isStale?: boolean;
}

/** Cells that nobody can save; nothing was. */
export class Refused extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(faults[0]?.text ?? 'nothing was saved');
    this.name = 'Refused';
    this.faults = faults;
  }
}

/**
 * Changes a product and several of its variants, with what is on hand of them: all of it, or nothing. Variants may
 * exchange their SKUs.
 *
 * @throws Refused with every cell that cannot be taken; AppError NOT_FOUND; PRECONDITION_FAILED for another version than
 *   the caller read; of the product's fields what `change` throws
 */
export async function saveRows(ctx: Ctx, id: string, rows: Rows, condition: Condition): Promise<void> {
  await ctx.tx(async (ctx) => {
    const product = await lock(ctx, id, condition);
    const whole = await wholeFor(ctx, product);
    const faults = [...judged(whole, rows), ...(await takenIn(ctx, whole, rows))];
    if (faults.length > 0) throw new Refused(faults);
    const after = changesIn(ctx, whole, rows);
    if (after.size > 0) {
      await write(ctx, whole, after);
      await changed(ctx, product, product, { ...differences(whole, after) });
    }
    if (rows.product) await change(ctx, id, rows.product);
    await correctStock(ctx, whole, rows.stock ?? []);
  });
}

/** Books what somebody made of the stock of variants of a product. @throws Refused with every cell that cannot be taken */
async function correctStock(ctx: Ctx, { variants }: Whole, stock: readonly Correction[]): Promise<void> {
  for (const { variantId } of stock) requireOwn(variants, variantId);
  const refused = await correct(ctx, stock);
  if (refused.length === 0) return;
  throw new Refused(
    refused.map(({ variantId: row, text, isStale }) => ({ row, field: 'onHand', text, isStale })),
  );
}

function requireOwn(variants: Whole['variants'], id: string): void {
  if (!variants.some((one) => one.id === id))
    throw fail('NOT_FOUND', `variant ${id} is not one of this product`);
}

/** What the schema of a variant says of each row. */
function judged({ variants }: Whole, rows: Rows): Fault[] {
  return [...rows.variants].flatMap(([row, input]) => {
    requireOwn(variants, row);
    const { error } = VariantUpdate.safeParse(input);
    return (error?.issues ?? []).map(({ path, message }) => ({
      row,
      field: String(path[0] ?? ''),
      text: message,
    }));
  });
}

/** SKUs that two rows would have, or that a variant of another product has. */
async function takenIn(ctx: Ctx, { variants }: Whole, rows: Rows): Promise<Fault[]> {
  const skuOf = new Map(variants.map(({ id, sku }) => [id, rows.variants.get(id)?.sku ?? sku]));
  const sent = [...rows.variants].flatMap(([row, { sku }]) => (sku === undefined ? [] : [{ row, sku }]));
  const own = new Set(variants.map(({ sku }) => normed(sku)));
  const foreign = await repo.takenSkus(
    ctx,
    sent.map(({ sku }) => normed(sku)).filter((sku) => !own.has(sku)),
  );
  return sent
    .filter(
      ({ row, sku }) =>
        foreign.has(normed(sku)) ||
        [...skuOf].some(([id, other]) => id !== row && normed(other) === normed(sku)),
    )
    .map(({ row, sku }) => ({ row, field: 'sku', text: skuText(sku) }));
}

/** The variants that come out as others. */
function changesIn(ctx: Ctx, { variants }: Whole, rows: Rows): ReadonlyMap<string, Variant> {
  const after = new Map<string, Variant>();
  for (const { chosen: _chosen, mediaId: _mediaId, ...before } of variants) {
    const { optionValues: _values, ...input } = rows.variants.get(before.id) ?? {};
    const sent = Object.entries(input).filter(
      ([name, value]) => value !== undefined && value !== before[name as keyof Variant],
    );
    if (sent.length > 0)
      after.set(before.id, { ...before, ...Object.fromEntries(sent), updatedAt: ctx.now() });
  }
  return after;
}

async function write(ctx: Ctx, { variants }: Whole, after: ReadonlyMap<string, Variant>): Promise<void> {
  const had = new Set(variants.map(({ sku }) => normed(sku)));
  // One that takes the SKU of another row waits until that one has let it go.
  for (const one of after.values())
    if (had.has(normed(one.sku))) await repo.updateVariant(ctx, { ...one, sku: one.id });
  for (const one of after.values()) await storing(skuText(one.sku), () => repo.updateVariant(ctx, one));
}

/** One line of the audit log for all of them, by their SKUs. */
function differences({ variants }: Whole, after: ReadonlyMap<string, Variant>) {
  const [then, now]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
  for (const before of variants) {
    const one = after.get(before.id);
    if (!one) continue;
    for (const name of Object.keys(one) as (keyof Variant)[]) {
      if (name === 'updatedAt' || one[name] === before[name]) continue;
      then[`${before.sku} ${name}`] = before[name];
      now[`${before.sku} ${name}`] = one[name];
    }
  }
  return { target: 'shop-products', before: then, after: now };
}
