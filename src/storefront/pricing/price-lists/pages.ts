import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, show } from '#kernel/http/page.ts';
import { decimalOf, moneyWords } from '#kernel/money-words.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { getVariant, type Variant } from '#storefront/catalog/products/index.ts';
import { amountIn } from '#storefront/contract/amount.ts';
import { listTiers, replaceTiers } from './prices.ts';
import { MOST_TIERS } from './schemas.ts';

/** Rows of the form without a break, for more. */
const SPARE = 4;

interface Row {
  readonly from: string;
  readonly price: string;
}

const pathOf = (id: string): string => `/store/variants/${encodeURIComponent(id)}`;

const rowsOf = (tiers: Awaited<ReturnType<typeof listTiers>>, currency: string): Row[] =>
  tiers.map(({ minQuantity, unitCents }) => ({
    from: String(minQuantity),
    price: decimalOf({ amountCents: unitCents, currency }),
  }));

/** What the page shows: the breaks of the variant, or those that were sent. */
async function model(ctx: Ctx, variant: Variant, sent?: { rows: readonly Row[]; problem: string }) {
  const { id, sku, priceCents, currency } = variant;
  const rows = sent?.rows ?? rowsOf(await listTiers(ctx, id), currency);
  const spare = Array.from({ length: SPARE }, () => ({ from: '', price: '' }));
  return {
    sku,
    currency,
    price: moneyWords({ amountCents: priceCents, currency }, 'en'),
    rows: [...rows, ...spare].slice(0, MOST_TIERS),
    problem: sent?.problem ?? null,
    back: pathOf(id),
    mayWrite: allows(ctx.actor, 'products:write'),
  };
}

/** @throws AppError VALIDATION_ERROR of a row that is not a break */
function tiersIn(rows: readonly Row[], currency: string) {
  return rows.map(({ from, price }, at) => {
    const amount = amountIn(price, currency);
    if (!/^[1-9]\d{0,6}$/.test(from))
      throw new AppError(
        'VALIDATION_ERROR',
        400,
        `Row ${at + 1}: the quantity must be a whole number from 1`,
      );
    if ('fault' in amount) throw new AppError('VALIDATION_ERROR', 400, `Row ${at + 1}: ${amount.fault}`);
    return { minQuantity: Number(from), unitCents: amount.value };
  });
}

/** A field that comes once for each row of the form. */
const each = () => z.array(z.string().max(20)).max(MOST_TIERS);

/** Quantity breaks of a variant for everybody, all on one form. */
const tiersPage = page({
  path: '/store/variants/{id}/price-tiers',
  title: 'Quantity prices of a variant',
  audience: { staff: 'products:write' },
  layout: PANEL,
  help: 'glossary',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: later(() => z.object({ from: each(), price: each() })),
  show: async (ctx, { params: { id } }) =>
    show('store/price-tiers', await model(ctx, await getVariant(ctx, id))),
  async submit(ctx, { params: { id }, form: { from, price } }) {
    const variant = await getVariant(ctx, id);
    const rows = from
      .map((one, at) => ({ from: one.trim(), price: price[at]?.trim() ?? '' }))
      .filter((row) => row.from !== '' || row.price !== '');
    try {
      await replaceTiers(ctx, id, { tiers: tiersIn(rows, variant.currency) });
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const problem = error.message.replace(/^tiers\.(\d+)\.\w+:/, (_all, at) => `Row ${Number(at) + 1}:`);
      return show('store/price-tiers', await model(ctx, variant, { rows, problem }), {
        status: error.status,
      });
    }
    return goTo(`${pathOf(id)}/price-tiers`);
  },
});

/** Pages of prices that screens cannot declare. */
export const priceListPages: readonly Page[] = [tiersPage];
