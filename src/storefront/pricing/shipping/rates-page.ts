import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, show } from '#kernel/http/page.ts';
import { decimalOf } from '#kernel/money-words.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { amountIn, type Understood, wholeIn } from '#storefront/contract/amount.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { getMethod } from './methods.ts';
import { hasUnits } from './price-of.ts';
import { listRates, replaceRates } from './rates.ts';
import type { ShippingMethod, ShippingRate } from './record.ts';
import { MOST_RATES } from './schemas.ts';

/** Rows of the form without a rate, for more. */
const SPARE = 4;

/** A rate as people write it. */
interface Row {
  readonly min: string;
  readonly max: string;
  readonly price: string;
  readonly perUnit: string;
}

const EMPTY: Row = { min: '', max: '', price: '', perUnit: '' };
const pathOf = (id: string): string => `/store/settings/shipping-methods/${encodeURIComponent(id)}`;

/** What a kind counts, and what its price grows with. */
function wordsOf(kind: ShippingMethod['kind'], currency: string) {
  const ranges = { weight: 'g', item: 'items', price: currency } as const;
  return {
    range: kind in ranges ? ranges[kind as keyof typeof ranges] : null,
    unit: hasUnits(kind)
      ? kind === 'weight'
        ? 'Plus per additional 1000 g'
        : 'Plus per additional item'
      : null,
  };
}

function rowOf({ min, max, priceCents, perUnitCents }: ShippingRate, kind: string, currency: string): Row {
  const amount = (amountCents: number): string => decimalOf({ amountCents, currency });
  const bound = (value: number): string => (kind === 'price' ? amount(value) : String(value));
  return {
    min: bound(min),
    max: max === null ? '' : bound(max),
    price: amount(priceCents),
    perUnit: perUnitCents === 0 ? '' : amount(perUnitCents),
  };
}

/** What the page and the tab show: the rates of the method, or those that were sent. */
async function model(ctx: Ctx, method: ShippingMethod, sent?: { rows: readonly Row[]; problem: string }) {
  const currency = ctx.settings.get(currencyCode);
  const { id, name, kind } = method;
  const rates = sent?.rows ?? (await listRates(ctx, id)).map((rate) => rowOf(rate, kind, currency));
  return {
    name,
    kind,
    currency,
    rates,
    rows: [...rates, ...Array.from({ length: kind === 'flat' ? 1 : SPARE }, () => EMPTY)].slice(
      0,
      kind === 'flat' ? 1 : MOST_RATES,
    ),
    ...wordsOf(kind, currency),
    problem: sent?.problem ?? null,
    path: `${pathOf(id)}/rates`,
    back: pathOf(id),
    mayWrite: allows(ctx.actor, 'settings:write'),
  };
}

/** The rates of a method beside its facts. */
export const ratesTab = async (ctx: Ctx, id: string) => model(ctx, await getMethod(ctx, id));

/** @throws AppError VALIDATION_ERROR of a row that is not a rate */
function ratesIn(rows: readonly Row[], kind: ShippingMethod['kind'], currency: string) {
  const { range } = wordsOf(kind, currency);
  const bound = (text: string): Understood<number> =>
    kind === 'price' ? amountIn(text, currency) : wholeIn(text, kind === 'weight' ? 'grams' : 'items');
  return rows.map(({ min, max, price, perUnit }, at) => ({
    min: range === null || min === '' ? 0 : understood(bound(min), at),
    max: range === null || max === '' ? null : understood(bound(max), at),
    priceCents: understood(amountIn(price, currency), at),
    perUnitCents: perUnit === '' ? 0 : understood(amountIn(perUnit, currency), at),
  }));
}

function understood(read: Understood<number>, at: number): number {
  if ('fault' in read) throw new AppError('VALIDATION_ERROR', 400, `Row ${at + 1}: ${read.fault}`);
  return read.value;
}

/** A field that comes once for each row of the form. */
const each = () => z.array(z.string().max(20)).max(MOST_RATES);

/** The rates of a shipping method, all on one form. */
export const shippingRatesPage: Page = page({
  path: '/store/settings/shipping-methods/{id}/rates',
  title: 'Rates of a shipping method',
  audience: { staff: 'settings:write' },
  layout: PANEL,
  help: 'tax-and-shipping',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: later(() => z.object({ min: each(), max: each(), price: each(), perUnit: each() })),
  show: async (ctx, { params: { id } }) =>
    show('store/shipping-rates', await model(ctx, await getMethod(ctx, id))),
  async submit(ctx, { params: { id }, form }) {
    const method = await getMethod(ctx, id);
    const rows = form.price
      .map((price, at) => ({
        min: form.min[at]?.trim() ?? '',
        max: form.max[at]?.trim() ?? '',
        price: price.trim(),
        perUnit: form.perUnit[at]?.trim() ?? '',
      }))
      .filter((row) => Object.values(row).some((value) => value !== ''));
    try {
      await replaceRates(ctx, id, { rates: ratesIn(rows, method.kind, ctx.settings.get(currencyCode)) });
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const problem = error.message.replace(
        /^rates\.(\d+)(?:\.\w+)?:/,
        (_all, at) => `Row ${Number(at) + 1}:`,
      );
      return show('store/shipping-rates', await model(ctx, method, { rows, problem }), {
        status: error.status,
      });
    }
    return goTo(pathOf(id));
  },
});
