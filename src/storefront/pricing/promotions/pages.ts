import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { type Page, page, type Shown, show } from '#kernel/http/page.ts';
import { decimalOf, moneyWords } from '#kernel/money-words.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { amountIn } from '#storefront/contract/amount.ts';
import { currencyCode, promotionStackingMode } from '#storefront/contract/settings.ts';
import type { SimulationInput } from './schemas.ts';
import { simulate } from './simulate.ts';
import { type SimulationView, simulationView } from './simulated-view.ts';

/** Lines of the form. */
const ROWS = 6;

const modeWords = {
  none: 'None: one promotion',
  best_wins: 'Best wins: the one that saves most, plus one on shipping',
  controlled: 'Controlled: those that are set to combine',
} as const;
type Mode = keyof typeof modeWords;

const field = (max: number) =>
  z
    .string()
    .max(max)
    .optional()
    .transform((sent) => sent?.trim() ?? '');
const each = (max: number) =>
  z
    .union([z.string().max(max), z.array(z.string().max(max)).max(100)])
    .optional()
    .transform((sent) => (sent === undefined ? [] : [sent].flat().map((one) => one.trim())));

const Form = later(() =>
  z.object({
    sku: each(100),
    quantity: each(7),
    codes: field(500),
    shipping: field(40),
    email: field(255),
    country: field(2),
    mode: field(20),
    at: field(20),
    drafts: field(5),
  }),
);
type Sent = z.output<typeof Form>;

const EMPTY: Sent = {
  sku: [],
  quantity: [],
  codes: '',
  shipping: '',
  email: '',
  country: '',
  mode: '',
  at: '',
  drafts: '',
};

/** @throws AppError VALIDATION_ERROR for what cannot be read */
function inputOf(sent: Sent, currency: string): SimulationInput {
  const refuse = (message: string) => new AppError('VALIDATION_ERROR', 400, message);
  const lines = sent.sku.flatMap((sku, at) => {
    if (sku === '') return [];
    const quantity = sent.quantity[at] || '1';
    if (!/^[1-9]\d{0,2}$/.test(quantity))
      throw refuse(`Line ${at + 1}: the quantity must be a whole number from 1 to 999`);
    return [{ sku, quantity: Number(quantity) }];
  });
  if (lines.length === 0) throw refuse('Enter the SKU of at least one variant');
  const shipping = sent.shipping === '' ? { value: 0 } : amountIn(sent.shipping, currency);
  if ('fault' in shipping) throw refuse(`Shipping: ${shipping.fault}`);
  if (sent.at !== '' && !/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(sent.at))
    throw refuse('The time must be a day and a time, such as 2026-11-28T12:00');
  return {
    lines,
    codes: sent.codes.split(/[\s,]+/).filter((one) => one !== ''),
    shippingCents: shipping.value,
    email: sent.email || undefined,
    country: sent.country.toUpperCase() || undefined,
    mode: (sent.mode || undefined) as Mode | undefined,
    at: sent.at === '' ? undefined : `${sent.at}:00.000Z`,
    withDrafts: sent.drafts === 'true',
  };
}

/** What the page says of a result, amounts as people read them. */
function resultOf(view: z.output<typeof SimulationView>) {
  const { currency } = view.totals;
  const money = (amountCents: number) => moneyWords({ amountCents, currency }, 'en');
  const withCode = ({ name, code }: { name: string; code: string | null }) =>
    code === null ? name : `${name} (${code})`;
  const href = ({ id }: { id: string }) => `/store/promotions/${id}`;
  return {
    mode: modeWords[view.mode],
    lines: view.lines.map((line) => ({
      sku: line.sku,
      quantity: line.quantity,
      unit: money(line.unit_cents),
      discount: money(line.discount_cents),
      total: money(line.total_cents),
      note: line.discountable ? '' : 'never reduced',
    })),
    applied: view.applied.map((one) => ({
      href: href(one),
      name: withCode(one),
      amount: money(one.amount_cents),
      base: money(one.base_cents),
    })),
    rejected: view.rejected.map((one) => ({ href: href(one), name: withCode(one), why: one.message })),
    candidates: view.candidates.map((one) => ({
      href: href(one),
      name: withCode(one),
      saving: money(one.saving_cents),
    })),
    totals: [
      ['Goods', money(view.totals.subtotal_cents)],
      ['Discounts', money(-view.totals.discount_cents)],
      ['Shipping', money(view.totals.shipping_cents)],
      ['Shipping discount', money(-view.totals.shipping_discount_cents)],
      ['Total, without tax', money(view.totals.total_cents)],
    ],
  };
}

async function shown(ctx: Ctx, sent: Sent, isAsked: boolean): Promise<Shown> {
  const currency = ctx.settings.get(currencyCode);
  const standing = ctx.settings.get(promotionStackingMode);
  const { result, problem } = isAsked ? await tried(ctx, sent, currency) : { result: null, problem: null };
  const rows = Array.from({ length: Math.max(ROWS, sent.sku.length) }, (_, at) => ({
    sku: sent.sku[at] ?? '',
    quantity: sent.quantity[at] ?? '',
  }));
  return show(
    'store/promotion-simulator',
    {
      ...sent,
      rows,
      currency,
      example: decimalOf({ amountCents: 500, currency }),
      modes: [
        { value: '', label: `Same as the shop: ${modeWords[standing]}` },
        ...Object.entries(modeWords).map(([value, label]) => ({ value, label })),
      ],
      result,
      problem,
    },
    { status: problem === null ? 200 : 400 },
  );
}

async function tried(ctx: Ctx, sent: Sent, currency: string) {
  try {
    const simulated = await simulate(ctx, inputOf(sent, currency));
    return { result: resultOf(simulationView(simulated, currency)), problem: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return { result: null, problem: error.message.replace(/^(?:lines\.\d+\.)?[a-z_]+: /, inWords) };
  }
}

const inWords = (path: string): string => {
  const line = /^lines\.(\d+)/.exec(path)?.[1];
  return line === undefined ? '' : `Line ${Number(line) + 1}: `;
};

/** A cart against all promotions, with the reason of each. */
export const simulatorPage = page({
  path: '/store/promotions/simulator',
  title: 'Try a cart',
  audience: { staff: 'promotions:read' },
  layout: PANEL,
  help: 'promotions',
  form: Form,
  show: (ctx) => shown(ctx, EMPTY, false),
  submit: (ctx, { form }) => shown(ctx, form, true),
});

export const promotionPages: readonly Page[] = [simulatorPage];
