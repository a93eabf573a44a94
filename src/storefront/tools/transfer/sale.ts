import type { Ctx } from '#kernel/context.ts';
import { sentFields } from '#kernel/service/input.ts';
import * as inventory from '#storefront/catalog/inventory/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import { replaceTiers } from '#storefront/pricing/price-lists/index.ts';
import type { VariantLine } from './line.ts';

type Variant = products.Whole['variants'][number];

/**
 * Stock and quantity breaks of variants, where they are not what the lines say.
 *
 * @returns whether that changed the stock of one
 */
export async function putSale(ctx: Ctx, id: string, lines: readonly VariantLine[]): Promise<boolean> {
  if (lines.every(({ stock, price_tiers }) => stock === undefined && price_tiers === undefined)) return false;
  const { variants } = await products.getWhole(ctx, id);
  let isChanged = false;
  for (const { sku, stock, price_tiers } of lines) {
    const variant = variants.find((one) => products.normed(one.sku) === products.normed(sku));
    if (!variant) continue;
    if (price_tiers) await putTiers(ctx, variant, price_tiers);
    if (stock && (await putStock(ctx, variant, stock))) isChanged = true;
  }
  return isChanged;
}

async function putTiers(
  ctx: Ctx,
  variant: Variant,
  wanted: NonNullable<VariantLine['price_tiers']>,
): Promise<void> {
  const tiers = wanted.map((one) => ({ minQuantity: one.min_quantity, unitCents: one.unit_cents }));
  const had = variant.tiers.map(({ minQuantity, unitCents }) => ({ minQuantity, unitCents }));
  if (JSON.stringify(had) !== JSON.stringify(tiers)) await replaceTiers(ctx, variant.id, { tiers });
}

async function putStock(
  ctx: Ctx,
  { id, stock }: Variant,
  wanted: NonNullable<VariantLine['stock']>,
): Promise<boolean> {
  const { on_hand: setTo, track_inventory, allow_backorder, low_stock_threshold } = wanted;
  const before = stock?.level ?? null;
  const rules = {
    trackInventory: track_inventory,
    allowBackorder: allow_backorder,
    lowStockThreshold: low_stock_threshold,
  };
  const after = await inventory.changeRules(ctx, id, sentFields(rules));
  const counted = setTo === undefined ? null : await inventory.adjust(ctx, id, { setTo, reason: 'count' });
  const isRuled =
    before !== null &&
    (after.trackInventory !== before.trackInventory ||
      after.allowBackorder !== before.allowBackorder ||
      after.lowStockThreshold !== before.lowStockThreshold);
  return isRuled || (counted !== null && counted.movement !== null);
}
