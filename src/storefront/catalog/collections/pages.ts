import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { oneOf, text } from '#kernel/http/fields.ts';
import { goTo, page, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { asAmount } from '#storefront/contract/amount-field.ts';
import { placedProducts, shopProductRows } from '../products/index.ts';
import * as collections from './collections.ts';
import { categorySlugs } from './queries.ts';
import { MATCHES, MOST_RULES } from './record.ts';
import { opsOf, RULE_FIELDS, RULE_OPS, type Rule, type RuleField, type RuleOp } from './rules.ts';

/** The products of a collection that is filled by hand, in the panel. */
export const collectionProducts = placedProducts({
  path: '/store/collections',
  title: 'Products of a collection',
  note: 'The collection page shows products in this order.',
  nameOf: async (ctx, id) => (await collections.get(ctx, id)).title,
  list: collections.listProducts,
  replace: collections.replaceProducts,
});

/** Rows of the form without a rule, for more. */
const SPARE = 3;
/** Products that a trial of rules shows. */
const MOST_SHOWN = 20;

const fieldWords: Record<RuleField, string> = {
  title: 'Title',
  brand: 'Brand',
  type: 'Type',
  tag: 'Tag',
  category: 'Category',
  price_cents: 'Lowest price',
  on_sale: 'On sale',
};
const opWords: Record<RuleOp, string> = {
  is: 'is',
  is_not: 'is not',
  contains: 'contains',
  starts_with: 'starts with',
  less_than: 'is less than',
  greater_than: 'is greater than',
};

type Row = { field: string; op: string; value: string };
type Trial = { readonly rules: readonly Row[]; readonly match: 'all' | 'any' };

/** What the tab with the rules of a collection shows: its own, or others that are tried. */
export async function rulesTab(ctx: Ctx, id: string, trial?: Trial): Promise<Record<string, unknown>> {
  const collection = await collections.get(ctx, id);
  const slugs = await categorySlugs(ctx, collection.rules);
  const prices = asAmount(ctx);
  const own = collection.rules.map(({ field, op, value }) => {
    if (field === 'price_cents') return { field, op, value: prices.text(value) };
    return { field, op, value: field === 'category' ? (slugs.get(value) ?? value) : value };
  });
  const { rules, match } = trial ?? { rules: own, match: collection.match };
  const { found, problem } = await tried(ctx, id, rules, match);
  const shown = await shopProductRows.of(ctx, found.slice(0, MOST_SHOWN));
  return {
    action: `/store/collections/${encodeURIComponent(id)}/rules`,
    after: `/store/collections/${encodeURIComponent(id)}?tab=rules#tabs`,
    name: collection.title,
    mayWrite: allows(ctx.actor, 'products:write'),
    isTrial: trial !== undefined,
    match,
    rows: [...rules, ...Array.from({ length: SPARE }, () => ({ field: '', op: 'is', value: '' }))].slice(
      0,
      MOST_RULES,
    ),
    fields: RULE_FIELDS.map((value) => ({
      value,
      label: value === 'price_cents' ? `${fieldWords[value]} (${prices.unit})` : fieldWords[value],
      ops: opsOf[value].map((op) => opWords[op]).join(', '),
    })),
    ops: RULE_OPS.map((value) => ({ value, label: opWords[value] })),
    total: found.length,
    products: shown.map(({ id, title, status }) => ({ href: `/store/products/${id}`, title, status })),
    problem,
  };
}

/** Rules as they are stored: the form has prices in the currency of the shop. @throws AppError for what is no price */
function storedRules(ctx: Ctx, rows: readonly Row[]): Rule[] {
  const prices = asAmount(ctx);
  return rows.map((row, at) => {
    if (row.field !== 'price_cents') return row as Rule;
    const read = prices.read(row.value);
    if ('fault' in read) throw new AppError('VALIDATION_ERROR', 400, `rules.${at}.value: ${read.fault}`);
    return { ...row, value: String(read.value) } as Rule;
  });
}

/** What the rules match, or what is wrong with them. */
async function tried(ctx: Ctx, id: string, rules: readonly Row[], match: 'all' | 'any') {
  try {
    const stored = storedRules(ctx, rules);
    return { found: await collections.preview(ctx, id, { rules: stored, match }), problem: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return { found: [], problem: error.message.replace(/^rules\.(\d+)\.(\w+):/, inWords) };
  }
}

/** The first rule is rule 1. */
const inWords = (_path: string, at: string, part: string): string =>
  `Rule ${Number(at) + 1}, ${part === 'op' ? 'how' : part}:`;

/** A field that comes once for each row of the form. */
const each = (max: number) => z.array(z.string().max(max)).max(MOST_RULES + SPARE);

/** Sets the rules of a collection, or shows what they would match. */
export const rulesPage = page({
  path: '/store/collections/{id}/rules',
  title: 'Rules of a collection',
  audience: { staff: 'products:write' },
  layout: PANEL,
  help: 'glossary',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: later(() =>
    z.object({
      match: oneOf(MATCHES),
      do: oneOf(['save', 'try']),
      field: each(20),
      op: each(20),
      value: each(255),
    }),
  ),
  show: async (ctx, { params: { id } }) => show('store/collection-rules-page', await rulesTab(ctx, id)),
  async submit(ctx, { params: { id }, form }) {
    const rules = form.field
      .map((field, at) => ({ field, op: form.op[at] ?? '', value: (form.value[at] ?? '').trim() }))
      .filter(({ field, value }) => field !== '' || value !== '');
    const trial = { rules, match: form.match };
    const data = await rulesTab(ctx, id, trial);
    if (form.do === 'try' || data.problem !== null)
      return show('store/collection-rules-page', data, { status: data.problem === null ? 200 : 400 });
    await collections.change(ctx, id, { rules: storedRules(ctx, rules), match: form.match });
    return goTo(`/store/collections/${encodeURIComponent(id)}?tab=rules#tabs`);
  },
});
