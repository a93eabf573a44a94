import { z } from 'zod';
import { email, flag, integer, oneOf, optional, report, text, timestamp } from '#kernel/http/fields.ts';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { later } from '#kernel/sharing.ts';
import {
  CLASSES,
  CUSTOMER_KINDS,
  EFFECTS,
  GET_EFFECTS,
  MOST_CODE,
  MOST_PRIORITY,
  MOST_TARGETS,
  MOST_UNITS,
  MOST_USES,
  SCOPES,
  SELECTIONS,
  TARGET_KINDS,
  TYPES,
  WHOLE_BPS,
} from './record.ts';

/** Codes that are made at once. */
export const MOST_CODES = 1000;
/** Random characters of a generated code. */
export const CODE_LENGTH = { least: 6, usual: 8, most: 20 } as const;
const MOST_PREFIX = 15;
const MOST_LINES = 100;
const MOST_ENTERED = 20;
const MOST_QUANTITY = 999;

const CODE_FORM = {
  pattern: /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u,
  says: 'letters, digits, periods, dashes and underscores, such as SUMMER-10',
};

const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().optional();
const listError = ({ input }: { input?: unknown }) =>
  input === undefined ? 'is required' : 'must be a list';
const listOf = <S extends z.ZodType>(item: S, most: number) => z.array(item, { error: listError }).max(most);
const cents = (least = 1) => integer(least, MAX_AMOUNT_CENTS);
const units = () => integer(1, MOST_UNITS);
const uses = () => integer(1, MOST_USES);
const bps = () => integer(1, WHOLE_BPS);
const named = (max: number) => text({ min: 1, max, trim: true });
const codeText = () => text({ min: 2, max: MOST_CODE, trim: true, form: CODE_FORM });

/** Ids, or what people call things: slugs of products, categories and collections, SKUs of variants. */
const lists = Object.fromEntries(
  TARGET_KINDS.map((kind) => [kind, optional(listOf(named(100), MOST_TARGETS))]),
) as Record<(typeof TARGET_KINDS)[number], z.ZodOptional<z.ZodArray<z.ZodString>>>;

/** null clears; it stands in the object, because a document has no type for a text, an object and null together. */
const targets = () =>
  z
    .union([z.literal('all'), z.object(lists).nullable()], {
      error: 'must be "all" or lists of products, variants, categories, collections or tags',
    })
    .optional();
export type TargetsInput = NonNullable<z.output<ReturnType<typeof targets>>>;

const customerRule = () =>
  z.object({
    kind: oneOf(CUSTOMER_KINDS),
    values: optional(listOf(named(255), 100)),
  });
const country = () =>
  text({ max: 2, form: { pattern: /^[A-Z]{2}$/, says: 'a country in two capital letters, such as DE' } });
const shippingRule = () =>
  z.object({
    countries: optional(listOf(country(), 300)),
    methodIds: optional(listOf(named(30), 100)),
  });
const clock = () =>
  text({
    max: 5,
    form: { pattern: /^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, says: 'a time such as 09:30' },
  });
const scheduleRule = () => z.object({ days: listOf(integer(1, 7), 7).min(1), from: clock(), to: clock() });

const shape = {
  name: named(100),
  /** By the other fields when absent: with a code a coupon, otherwise automatic. */
  type: optional(oneOf(TYPES)),
  code: orNull(codeText()),
  effect: oneOf(EFFECTS),
  /** In place of `value`, by its unit. */
  percentBps: orNull(bps()),
  amountCents: orNull(cents(0)),
  value: optional(integer(0, MAX_AMOUNT_CENTS)),
  class: optional(oneOf(CLASSES)),
  appliesTo: targets(),
  excludes: targets(),
  excludeSale: optional(flag()),
  scope: optional(oneOf(SCOPES)),
  maxUnits: orNull(units()),
  maxDiscountCents: orNull(cents()),
  buyQuantity: orNull(units()),
  buy: targets(),
  getQuantity: orNull(units()),
  get: targets(),
  getEffect: optional(oneOf(GET_EFFECTS)),
  getPercentBps: orNull(bps()),
  getAmountCents: orNull(cents(0)),
  getValue: optional(integer(0, MAX_AMOUNT_CENTS)),
  getSelection: optional(oneOf(SELECTIONS)),
  maxSets: orNull(units()),
  minSubtotalCents: orNull(cents()),
  minQuantity: orNull(units()),
  customerRule: orNull(customerRule()),
  shippingRule: orNull(shippingRule()),
  startsAt: orNull(timestamp()),
  endsAt: orNull(timestamp()),
  scheduleRule: orNull(scheduleRule()),
  usageLimit: orNull(uses()),
  usageLimitPerCustomer: orNull(uses()),
  priority: optional(integer(0, MOST_PRIORITY)),
  stackable: optional(flag()),
  combinesWith: optional(listOf(oneOf(CLASSES), 3)),
  exclusionGroup: orNull(named(50)),
};

/** What an effect cannot do without. */
function missingIn(sent: { readonly effect: string; readonly value?: unknown } & Record<string, unknown>) {
  const { effect, value } = sent;
  const isThere = (name: string): boolean => sent[name] !== undefined && sent[name] !== null;
  if (effect === 'bogo') return ['buyQuantity', 'buy', 'getQuantity'].filter((name) => !isThere(name));
  if (effect === 'free_shipping' || value !== undefined) return [];
  return [effect === 'percent' ? 'percentBps' : 'amountCents'].filter((name) => !isThere(name));
}

/** Input that creates a promotion: a draft, unless it is to be active at once. */
export const PromotionCreate = later(() =>
  z.strictObject({ ...shape, status: optional(oneOf(['draft', 'active'])) }).check((checked) => {
    const missing = missingIn(checked.value);
    for (const name of missing) report(checked, 'required', 'is required', [name]);
  }),
);
export type PromotionCreateInput = z.output<typeof PromotionCreate>;

/** Input that changes a promotion: absent leaves a field, null clears one that may be empty. */
export const PromotionUpdate = later(() =>
  z.strictObject({
    ...shape,
    name: optional(named(100)),
    effect: optional(oneOf(EFFECTS)),
  }),
);
export type PromotionUpdateInput = z.output<typeof PromotionUpdate>;

export const Copy = later(() => z.strictObject({ name: optional(named(100)) }));

/** Codes to add: so many new ones, or these. */
export const CodesCreate = later(() =>
  z
    .strictObject({
      count: optional(integer(1, MOST_CODES)),
      prefix: optional(text({ max: MOST_PREFIX, trim: true, form: CODE_FORM })),
      length: optional(integer(CODE_LENGTH.least, CODE_LENGTH.most)),
      codes: optional(listOf(codeText(), MOST_CODES).min(1, 'must have at least one')),
      /** null: as often as the promotion. */
      usageLimit: orNull(uses()),
      expiresAt: orNull(timestamp()),
    })
    .check((checked) => {
      const { count, codes } = checked.value;
      if (count === undefined && codes === undefined) report(checked, 'required', 'is required', ['count']);
      if (count !== undefined && codes !== undefined)
        report(checked, 'invalid', 'is only for generated codes; leave it out with codes', ['count']);
    }),
);
export type CodesCreateInput = z.output<typeof CodesCreate>;

/** A cart that is made up. */
export const Simulation = later(() =>
  z.strictObject({
    lines: listOf(
      z
        .strictObject({
          variantId: optional(named(30)),
          sku: optional(named(100)),
          quantity: integer(1, MOST_QUANTITY),
          /** In place of its price. */
          unitCents: optional(cents(0)),
        })
        .check((checked) => {
          const { sku, variantId } = checked.value;
          if ((sku === undefined) === (variantId === undefined))
            report(checked, 'invalid', 'identify the variant by its sku or variant_id', ['sku']);
        }),
      MOST_LINES,
    ).min(1, 'must have at least one line'),
    codes: optional(listOf(named(MOST_CODE * 3), MOST_ENTERED)),
    customerId: optional(named(30)),
    email: optional(email()),
    country: optional(country()),
    shippingCents: optional(cents(0)),
    /** That of the shop when absent. */
    mode: optional(oneOf(['none', 'best_wins', 'controlled'])),
    /** Now when absent. */
    at: optional(timestamp()),
    /** As if they were active. */
    withDrafts: optional(flag()),
  }),
);
export type SimulationInput = z.output<typeof Simulation>;
