import { COUNTRY_CODES } from '#storefront/contract/countries.ts';

export const MATCHES = ['all', 'any'] as const;
export const RULE_FIELDS = [
  'order_count',
  'spent_cents',
  'last_order_days',
  'registered_days',
  'registered',
  'country',
  'tag',
  'accepts_marketing',
  'has_account',
] as const;
export type RuleField = (typeof RULE_FIELDS)[number];
export const RULE_OPS = ['at_least', 'at_most', 'within', 'before', 'since', 'is', 'is_not'] as const;
export type RuleOp = (typeof RULE_OPS)[number];
export const MOST_CONDITIONS = 20;

/** What holds of a customer. */
export interface Condition {
  readonly field: RuleField;
  readonly op: RuleOp;
  /** A whole number, days, a date, countries with commas between them, a tag, or `true` and `false`. */
  readonly value: string;
}

/** Who belongs to a group: all of the conditions hold, or any of them. */
export interface Rule {
  readonly match: (typeof MATCHES)[number];
  readonly conditions: readonly Condition[];
}

const NUMBER: readonly RuleOp[] = ['at_least', 'at_most'];
const EQUAL: readonly RuleOp[] = ['is', 'is_not'];

/** By what each field is compared; `within` a number of days, `before` more days ago than that. */
export const opsOf: Readonly<Record<RuleField, readonly RuleOp[]>> = {
  order_count: NUMBER,
  spent_cents: NUMBER,
  last_order_days: ['within', 'before'],
  registered_days: ['within', 'before'],
  registered: ['since', 'before'],
  country: EQUAL,
  tag: EQUAL,
  accepts_marketing: ['is'],
  has_account: ['is'],
};

const FLAGS: readonly RuleField[] = ['accepts_marketing', 'has_account'];
const DAYS: readonly RuleField[] = ['last_order_days', 'registered_days'];

/** What is wrong with a condition; null when nothing is. */
export function problemOf({ field, op, value }: Condition): { at: 'op' | 'value'; says: string } | null {
  const ops = opsOf[field];
  if (!ops.includes(op)) return { at: 'op', says: `must be one of ${ops.join(', ')} for ${field}` };
  const says = valueFault(field, value);
  return says === null ? null : { at: 'value', says };
}

function valueFault(field: RuleField, value: string): string | null {
  if (FLAGS.includes(field)) return value === 'true' || value === 'false' ? null : 'must be true or false';
  if (DAYS.includes(field))
    return /^[1-9]\d{0,4}$/.test(value) ? null : 'must be a number of days, 1 to 99999';
  if (field === 'order_count' || field === 'spent_cents')
    return /^\d{1,12}$/.test(value) ? null : 'must be a whole number, such as 3';
  if (field === 'registered') return isDay(value) ? null : 'must be a date, such as 2026-01-31';
  if (field === 'tag') return value.trim() === '' ? 'must be a tag' : null;
  const wrong = countriesIn(value).find((code) => !COUNTRY_CODES.includes(code));
  return wrong === undefined ? null : `must be countries with two letters, such as DE,AT; ${wrong} is none`;
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

/** `DE, AT` as a list. */
export const countriesIn = (value: string): string[] =>
  value.split(',').map((one) => one.trim().toUpperCase());
