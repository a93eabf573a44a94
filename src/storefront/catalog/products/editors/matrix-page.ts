import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { goTo, page, type Shown, show } from '#kernel/http/page.ts';
import { fail } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import type { Correction } from '../../inventory/index.ts';
import { combinationsOf } from '../combinations.ts';
import { getWhole } from '../products.ts';
import { MOST_VARIANTS, type VariantUpdateInput } from '../schemas.ts';
import { generateVariants } from '../variants.ts';
import { optionKeyOf, titleOf, type VariantOf, type Whole } from '../whole.ts';
import { cellValue, MATRIX_COLUMNS, onHand, price } from './columns.ts';
import { ifCurrent } from './current.ts';
import { type Fault, Refused, type Rows, saveRows } from './save.ts';

/** 250 variants with long texts. */
const FORM_BYTES = 600_000;
const FIELDS = MOST_VARIANTS * (MATRIX_COLUMNS.length + 2) + 20;
/** So many missing combinations are named. */
const MOST_NAMED = 20;

const each = (max: number) => z.array(z.string().max(max)).max(MOST_VARIANTS);

const Form = later(() =>
  z.object({
    version: text({ min: 1, max: 20 }),
    do: oneOf(['save', 'generate']),
    variant: each(30),
    ...Object.fromEntries(MATRIX_COLUMNS.map(({ name }) => [name, each(1000)])),
    /** What was on hand when the page was shown. */
    on_hand_was: each(20),
    pattern: optional(text({ max: 100 })),
    new_price: optional(text({ max: 40 })),
  }),
);
type Sent = z.output<typeof Form> & Readonly<Record<string, readonly string[]>>;

const UNTRACKED = 'Not tracked';

const addressOf = (id: string): string => `/store/products/${encodeURIComponent(id)}`;

/** What a form asked for that was not taken. */
interface Failed {
  readonly sent: Sent;
  readonly faults: readonly Fault[];
  readonly said: string;
}

/** The combinations that have no variant; none where there is no option, or too many. */
function missingIn({ options, variants }: Whole) {
  if (options.length === 0 || options.some(({ values }) => values.length === 0)) return [];
  const count = options.reduce((product, { values }) => product * values.length, 1);
  if (count > MOST_VARIANTS) return [];
  const had = new Set(variants.map(({ optionKey }) => optionKey));
  return combinationsOf(options, MOST_VARIANTS).filter((one) => !had.has(optionKeyOf(one)));
}

/** The cells of a row: as they are stored, or as they were sent. */
function cellsOf(ctx: Ctx, whole: Whole, variant: VariantOf, failed?: Failed) {
  const currency = ctx.settings.get(currencyCode);
  const at = failed?.sent.variant.indexOf(variant.id) ?? -1;
  return MATRIX_COLUMNS.map((column) => {
    const stored = column.text(whole, variant);
    const fault = failed?.faults.find((one) => one.row === variant.id && one.field === column.field);
    const typed = at === -1 ? undefined : failed?.sent[column.name]?.[at];
    const cell = {
      name: column.name,
      label: `${column.label(currency)} of ${variant.title}`,
      isNumber: column.isNumber === true,
      value: typed ?? stored,
      fault: fault?.text,
    };
    if (column !== onHand) return cell;
    const was = at === -1 ? undefined : failed?.sent.on_hand_was[at];
    return { ...cell, ...stockCell(ctx, variant, { stored, typed, was, isTold: fault?.isStale === true }) };
  });
}

/** What is on hand: a field for whoever may change it. What nobody touched is shown as it is now. */
function stockCell(
  ctx: Ctx,
  { id, stock }: VariantOf,
  {
    stored,
    typed,
    was,
    isTold,
  }: { stored: string; typed: string | undefined; was: string | undefined; isTold: boolean },
) {
  const isTouched = typed !== undefined && was !== undefined && typed !== was;
  const isTracked = stock?.level.trackInventory === true;
  return {
    value: isTouched ? typed : stored,
    // Somebody who was not told yet of another number is told when they save again.
    was: isTouched && !isTold ? was : stored,
    placeholder: isTracked ? null : UNTRACKED,
    fixed: allows(ctx.actor, 'inventory:write') ? null : isTracked ? stored : UNTRACKED,
    href: allows(ctx.actor, 'inventory:read') ? `/store/inventory/${id}` : null,
  };
}

async function modelOf(ctx: Ctx, id: string, failed?: Failed): Promise<Record<string, unknown>> {
  const whole = await getWhole(ctx, id);
  const currency = ctx.settings.get(currencyCode);
  const missing = missingIn(whole);
  const rows = whole.variants.map((variant) => ({
    id: variant.id,
    title: variant.title,
    href: `/store/variants/${variant.id}`,
    cells: cellsOf(ctx, whole, variant, failed),
  }));
  return {
    action: `${addressOf(id)}/variants`,
    after: `${addressOf(id)}?tab=variants#tabs`,
    optionsHref: `${addressOf(id)}?tab=options#tabs`,
    createHref: `${addressOf(id)}/variants/new`,
    name: whole.product.title,
    version: whole.product.version,
    mayWrite: allows(ctx.actor, 'products:write'),
    hasOptions: whole.options.length > 0,
    columns: MATRIX_COLUMNS.map((column) => column.label(currency)),
    rows,
    missing: missing.length,
    named: missing.slice(0, MOST_NAMED).map(titleOf),
    placeholders: whole.options.map(({ name }) => `{${name}}`),
    example: [whole.product.slug.toUpperCase(), ...whole.options.map(({ name }) => `{${name}}`)].join('-'),
    needsPrice: whole.variants.length === 0,
    priceLabel: price.label(currency),
    pattern: failed?.sent.pattern ?? '',
    newPrice: failed?.sent.new_price ?? '',
    said: failed?.said ?? null,
    faults: rows.flatMap(({ id, title, cells }) =>
      cells.flatMap(({ name, fault }) =>
        fault ? [{ field: `${name}-${id}`, text: `${title}: ${fault}` }] : [],
      ),
    ),
  };
}

/** The cells of the rows, or what is wrong with them. */
function readRows(sent: Sent, currency: string): Rows {
  const faults: Fault[] = [];
  const variants = new Map<string, VariantUpdateInput>();
  const stock = new Map<string, Correction>();
  for (const [at, id] of sent.variant.entries()) {
    const input: Record<string, unknown> = {};
    for (const column of MATRIX_COLUMNS) {
      const cell = sent[column.name]?.[at];
      if (cell === undefined) continue;
      const understood = cellValue(column, cell, currency);
      if ('fault' in understood) faults.push({ row: id, field: column.field, text: understood.fault });
      else if (column !== onHand) input[column.field] = understood.value;
      else {
        const correction = correctionOf(id, sent.on_hand_was[at] ?? '', understood.value);
        if (correction) stock.set(id, correction);
      }
    }
    variants.set(id, input);
  }
  if (faults.length > 0) throw new Refused(faults);
  return { variants, stock: [...stock.values()] };
}

/** What was changed of the number that was shown, or begun where none was; null for one that was left as it is. */
function correctionOf(variantId: string, was: string, wanted: unknown): Correction | null {
  if (typeof wanted !== 'number') return null;
  if (was === '') return { variantId, seen: null, wanted };
  if (!/^-?\d{1,12}$/.test(was) || Number(was) === wanted) return null;
  return { variantId, seen: Number(was), wanted };
}

async function save(ctx: Ctx, id: string, form: Sent): Promise<void> {
  const currency = ctx.settings.get(currencyCode);
  await ifCurrent(() =>
    ctx.tx(async (ctx) => {
      const rows = readRows(form, currency);
      if (rows.stock?.length && !allows(ctx.actor, 'inventory:write'))
        throw fail('INSUFFICIENT_SCOPE', 'Your role cannot change stock');
      await saveRows(ctx, id, rows, { ifMatch: form.version });
      if (form.do === 'save') return;
      const first = form.new_price ? cellValue(price, form.new_price, currency) : { value: undefined };
      if ('fault' in first) throw new AppError('VALIDATION_ERROR', 400, first.fault);
      const priceCents = first.value as number | undefined;
      await generateVariants(ctx, id, { skuPattern: form.pattern || undefined, priceCents });
    }),
  );
}

/** The form as it was sent, with what is wrong beside each cell. */
async function refused(ctx: Ctx, id: string, sent: Sent, error: unknown): Promise<Shown> {
  if (error instanceof Refused) {
    const isStale = error.faults.some((one) => one.isStale);
    const cells = error.faults.length === 1 ? 'one cell needs' : `${error.faults.length} cells need`;
    const said = isStale
      ? 'Nothing was saved: the stock changed after you opened this page'
      : `Nothing was saved: ${cells} another value`;
    const status = isStale ? 409 : 400;
    return show('store/variant-matrix', await modelOf(ctx, id, { sent, faults: error.faults, said }), {
      status,
    });
  }
  if (!(error instanceof AppError) || ![400, 409].includes(error.status)) throw error;
  const failed = { sent, faults: [], said: error.message };
  return show('store/variant-matrix', await modelOf(ctx, id, failed), { status: error.status });
}

/** All variants of a product in one table. */
export const matrixPage = page({
  path: '/store/products/{id}/variants',
  title: 'Variants of a product',
  audience: { staff: 'products:read' },
  layout: PANEL,
  help: 'glossary',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: Form,
  formBytes: FORM_BYTES,
  formFields: FIELDS,
  show: async (ctx, { params: { id } }) => show('store/variant-matrix', await modelOf(ctx, id)),
  async submit(ctx, { params: { id }, form }) {
    const sent = form as unknown as Sent;
    if (!allows(ctx.actor, 'products:write'))
      throw fail('INSUFFICIENT_SCOPE', 'Your role can view products but not change them');
    try {
      await save(ctx, id, sent);
    } catch (error) {
      return refused(ctx, id, sent, error);
    }
    return goTo(`${addressOf(id)}/variants`);
  },
});
