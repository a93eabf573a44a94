import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { countPrices, type PriceOf } from './queries.ts';
import { PRICE_LIST_KINDS, type PriceList } from './record.ts';

/** A price list as staff see it. */
export const PriceListView = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      kind: z.enum(PRICE_LIST_KINDS),
      adjust_bps: z.int(),
      currency: z.string(),
      starts_at: instant().nullable(),
      ends_at: instant().nullable(),
      active: z.boolean(),
      /** Whether it holds now. */
      status: z.enum(['active', 'scheduled', 'ended', 'off']),
      price_count: count(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'PriceList' }),
);

function statusOf({ active, startsAt, endsAt }: PriceList, now: string) {
  if (!active) return 'off';
  if (endsAt !== null && endsAt <= now) return 'ended';
  return startsAt !== null && startsAt > now ? 'scheduled' : 'active';
}

/** Price lists as staff see them: one question counts their prices. */
export async function priceListViews(
  lists: readonly PriceList[],
  ctx: Ctx,
): Promise<z.output<typeof PriceListView>[]> {
  const counts = await countPrices(
    ctx,
    lists.map(({ id }) => id),
  );
  return lists.map((list) => ({
    id: list.id,
    name: list.name,
    kind: list.kind,
    adjust_bps: list.adjustBps,
    currency: list.currency,
    starts_at: list.startsAt,
    ends_at: list.endsAt,
    active: list.active,
    status: statusOf(list, ctx.now()),
    price_count: counts.get(list.id) ?? 0,
    created_at: list.createdAt,
    updated_at: list.updatedAt,
  }));
}

/** A price of a list as staff see it. */
export const PriceView = later(() =>
  z
    .object({
      id: z.string(),
      price_list_id: z.string().nullable(),
      variant_id: z.string(),
      sku: z.string(),
      product_id: z.string(),
      product_title: z.string(),
      variant_title: z.string(),
      min_quantity: count(),
      unit_cents: count(),
      currency: z.string(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'PriceListPrice' }),
);

export const priceView = (price: PriceOf): z.output<typeof PriceView> => ({
  id: price.id,
  price_list_id: price.priceListId,
  variant_id: price.variantId,
  sku: price.sku,
  product_id: price.productId,
  product_title: price.productTitle,
  variant_title: price.variantTitle,
  min_quantity: price.minQuantity,
  unit_cents: price.unitCents,
  currency: price.currency,
  created_at: price.createdAt,
  updated_at: price.updatedAt,
});
