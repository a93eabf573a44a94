/** What tax would be due, for staff who set it up (storefront-api.md, AI). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count, flag, integer, optional, text } from '#kernel/http/fields.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { placeBody, placeOf } from '#storefront/contract/place-field.ts';
import { taxRoundAt } from '#storefront/contract/selling-settings.ts';
import { pricesIncludeTax } from '#storefront/contract/settings.ts';
import { type LinePrice, price, type ShippingPrice, type TaxRate } from '../engine/index.ts';
import { taxedVariants } from './queries.ts';
import { SHIPPING_CLASS } from './record.ts';
import { taxesAt } from './taxes.ts';

const Amounts = { net_cents: count(), tax_cents: count(), total_cents: count() };
const Taxed = later(() =>
  z
    .object({
      ...Amounts,
      rates: z.array(z.object({ name: z.string(), rate_ppm: count(), tax_cents: count() })),
    })
    .meta({ id: 'Taxed' }),
);

const Answer = later(() =>
  z
    .object({
      /** Null: no zone is for the address, and no tax is due. */
      zone: z.object({ id: z.string(), name: z.string() }).nullable(),
      lines: z.array(Taxed),
      shipping: Taxed,
      total: z.object(Amounts),
    })
    .meta({ id: 'TaxTest' }),
);

const Body = later(() =>
  z
    .object({
      address: placeBody(),
      lines: z
        .array(z.object({ variant_id: text({ min: 1, max: 30 }), quantity: integer(1, 999) }), {
          error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of lines'),
        })
        .min(1)
        .max(200),
      /** What shipping costs; it is of the class shipping. */
      shipping_cents: optional(integer(0, 100_000_000)),
      tax_exempt: optional(flag()),
    })
    .meta({ id: 'TaxTestBody' }),
);

const taxed = (
  { netCents, taxCents, totalCents, parts }: LinePrice | ShippingPrice,
  rates: readonly TaxRate[],
): z.output<typeof Taxed> => ({
  net_cents: netCents,
  tax_cents: taxCents,
  total_cents: totalCents,
  rates: rates.map(({ name, ppm }, at) => ({ name, rate_ppm: ppm, tax_cents: parts[at] ?? 0 })),
});

/** @throws AppError VALIDATION_ERROR for a variant that does not exist */
async function linesOf(
  ctx: Ctx,
  lines: z.output<typeof Body>['lines'],
  ofGoods: (id: string | null) => TaxRate[],
) {
  const known = await taxedVariants(
    ctx,
    lines.map((line) => line.variant_id),
  );
  return lines.map(({ variant_id: variantId, quantity }, at) => {
    const variant = known.get(variantId);
    if (!variant) throw invalidField(`lines.${at}.variant_id`, `variant ${variantId} does not exist`);
    return {
      variantId,
      productId: variant.productId,
      categoryIds: [],
      collectionIds: [],
      tags: [],
      unitCents: variant.priceCents,
      quantity,
      isDiscountable: false,
      isOnSale: false,
      rates: variant.isTaxable ? ofGoods(variant.taxClassId) : [],
    };
  });
}

async function tested(ctx: Ctx, body: z.output<typeof Body>): Promise<z.output<typeof Answer>> {
  const { zone, ofGoods, ofShipping } = await taxesAt(ctx, placeOf(body.address));
  const lines = await linesOf(ctx, body.lines, ofGoods);
  const shipping = { priceCents: () => body.shipping_cents ?? 0, rates: ofShipping(SHIPPING_CLASS) };
  const cart = {
    lines,
    shipping,
    codes: [],
    includesTax: ctx.settings.get(pricesIncludeTax),
    roundTaxAt: ctx.settings.get(taxRoundAt),
    isExempt: body.tax_exempt ?? false,
    loyaltyCents: 0,
    giftCardCents: [],
  };
  const priced = price(cart, [], { mode: 'none', maxStack: 1 });
  const all = [...priced.lines, priced.shipping];
  const sum = (of: (one: LinePrice | ShippingPrice) => number) =>
    all.reduce((total, one) => total + of(one), 0);
  return {
    zone,
    lines: priced.lines.map((line, at) => taxed(line, lines[at]?.rates ?? [])),
    shipping: taxed(priced.shipping, shipping.rates),
    total: {
      net_cents: sum(({ netCents }) => netCents),
      tax_cents: priced.totals.taxCents,
      total_cents: priced.totals.totalCents,
    },
  };
}

export const taxEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/store/tax/test',
    summary: 'Calculate the tax on variants at an address',
    scope: 'settings:read',
    limit: null,
    rehearsable: true,
    body: Body,
    replies: { 200: z.object({ data: Answer }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body }) => ok({ data: await tested(ctx, body) }),
  }),
];
