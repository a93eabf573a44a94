import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import type { Variant } from '#storefront/catalog/products/index.ts';
import { pricesIncludeTax, promotionMaxStack, promotionStackingMode } from '#storefront/contract/settings.ts';
import { type CartLine, type Price, price } from '../engine/index.ts';
import { cartLines, variantsNamed, type WantedLine } from './lines.ts';
import { promotionsFor } from './load.ts';
import { groupIdsOf } from './queries.ts';
import { Simulation, type SimulationInput } from './schemas.ts';

/** What a cart would cost, and why. */
export interface Simulated {
  readonly lines: readonly (CartLine & { readonly variant: Variant })[];
  readonly price: Price;
  readonly mode: 'none' | 'best_wins' | 'controlled';
}

/**
 * Prices a cart that is made up, without tax, and stores nothing.
 *
 * @throws AppError VALIDATION_ERROR for a variant that does not exist, and for a code that no promotion has, reason
 *   PROMOTION_INVALID
 */
export async function simulate(ctx: Ctx, input: SimulationInput): Promise<Simulated> {
  const sent = checkInput(Simulation, input);
  const wanted = await wantedIn(ctx, sent);
  const emailNorm = sent.email?.toLowerCase() ?? null;
  const met = await promotionsFor(ctx, {
    codes: sent.codes ?? [],
    shopper: {
      customerId: sent.customerId ?? null,
      emailNorm,
      isFirstOrder: true,
      groupIds: sent.customerId === undefined ? [] : await groupIdsOf(ctx, sent.customerId),
    },
    country: sent.country ?? null,
    shippingMethodId: null,
    at: sent.at ?? ctx.now(),
    withDrafts: sent.withDrafts ?? false,
  });
  if (met.unknown.length > 0) throw unknownCode(met.unknown);
  const lines = await cartLines(ctx, wanted, met.rows);
  const mode = sent.mode ?? ctx.settings.get(promotionStackingMode);
  const shippingCents = sent.shippingCents ?? 0;
  const cart = {
    lines,
    codes: met.codes,
    shipping: { priceCents: () => shippingCents, rates: [] },
    includesTax: ctx.settings.get(pricesIncludeTax),
    roundTaxAt: 'line',
    isExempt: false,
    loyaltyCents: 0,
    giftCardCents: [],
  } as const;
  return {
    lines: lines.map((line, at) => ({ ...line, variant: (wanted[at] as WantedLine).variant })),
    price: price(cart, met.priced, { mode, maxStack: ctx.settings.get(promotionMaxStack) }),
    mode,
  };
}

async function wantedIn(ctx: Ctx, { lines }: SimulationInput): Promise<WantedLine[]> {
  const found = await variantsNamed(ctx, lines);
  return lines.map(({ sku, variantId, quantity, unitCents }, at) => {
    const variant = found[at];
    if (variant) return { variant, quantity, unitCents };
    throw sku === undefined
      ? invalidField(`lines.${at}.variant_id`, `variant ${variantId} does not exist`)
      : invalidField(`lines.${at}.sku`, `variant with the SKU ${sku} does not exist`);
  });
}

const unknownCode = (codes: readonly string[]) =>
  fail('VALIDATION_ERROR', `codes: no promotion has the code ${codes.join(', ')}`, {
    details: {
      reason: 'PROMOTION_INVALID',
      issues: [{ path: 'codes', rule: 'invalid', message: `no promotion has the code ${codes.join(', ')}` }],
    },
  });
