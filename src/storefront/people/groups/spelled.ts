import type { Ctx } from '#kernel/context.ts';
import { decimalOf } from '#kernel/money-words.ts';
import type { Written } from '#platform/admin/index.ts';
import { amountIn } from '#storefront/contract/amount.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { type Condition, countriesIn, problemOf, type Rule } from './rule.ts';

type Read = ReturnType<Written['read']>;
/** A field with its comparison and value, as the text of a line says them. */
type Said = readonly [Condition['field'], Condition['op'], string];

const OPS = { 'at least': 'at_least', 'at most': 'at_most' } as const;
const EXAMPLE = 'such as “orders at least 3”, “country is DE, AT” or “tag is wholesale”';

/** Forms of a line: what it looks like, and what it says. */
const forms: readonly (readonly [RegExp, (found: readonly string[], currency: string) => Said | string])[] = [
  [
    /^orders? (at least|at most) (\d+)$/i,
    ([op = '', count = '']) => ['order_count', OPS[op.toLowerCase() as keyof typeof OPS], count],
  ],
  [
    /^spent (at least|at most) (.+)$/i,
    ([op = '', typed = ''], currency) => {
      const read = amountIn(typed, currency);
      if ('fault' in read) return read.fault;
      return ['spent_cents', OPS[op.toLowerCase() as keyof typeof OPS], String(read.value)];
    },
  ],
  [/^last order within (\d+) days?$/i, ([days = '']) => ['last_order_days', 'within', days]],
  [/^last order more than (\d+) days? ago$/i, ([days = '']) => ['last_order_days', 'before', days]],
  [/^registered within (\d+) days?$/i, ([days = '']) => ['registered_days', 'within', days]],
  [/^registered more than (\d+) days? ago$/i, ([days = '']) => ['registered_days', 'before', days]],
  [
    /^registered (since|before) (\d{4}-\d\d-\d\d)$/i,
    ([op = '', day = '']) => ['registered', op.toLowerCase() as 'since' | 'before', day],
  ],
  [/^country is not (.+)$/i, ([countries = '']) => ['country', 'is_not', countriesIn(countries).join(',')]],
  [/^country is (.+)$/i, ([countries = '']) => ['country', 'is', countriesIn(countries).join(',')]],
  [/^tag is not (.+)$/i, ([tag = '']) => ['tag', 'is_not', tag.trim()]],
  [/^tag is (.+)$/i, ([tag = '']) => ['tag', 'is', tag.trim()]],
  [/^accepts marketing$/i, () => ['accepts_marketing', 'is', 'true']],
  [/^no marketing$/i, () => ['accepts_marketing', 'is', 'false']],
  [/^has (?:an )?account$/i, () => ['has_account', 'is', 'true']],
  [/^no account$/i, () => ['has_account', 'is', 'false']],
];

function lineIn(line: string, currency: string): { condition: Condition } | { fault: string } {
  for (const [form, says] of forms) {
    const [whole, ...found] = form.exec(line) ?? [];
    if (whole === undefined) continue;
    const said = says(found, currency);
    if (typeof said === 'string') return { fault: `“${line.slice(0, 60)}”: ${said}` };
    const [field, op, value] = said;
    const problem = problemOf({ field, op, value });
    return problem
      ? { fault: `“${line.slice(0, 60)}”: ${problem.says}` }
      : { condition: { field, op, value } };
  }
  return { fault: `“${line.slice(0, 60)}” is not understood; enter one condition per line, ${EXAMPLE}` };
}

const days = (op: Condition['op'], value: string): string =>
  op === 'within' ? `within ${value} days` : `more than ${value} days ago`;
const least = (op: Condition['op']): string => op.replace('_', ' ');
const is = (op: Condition['op']): string => op.replace('_', ' ');

function words({ field, op, value }: Condition, currency: string): string {
  switch (field) {
    case 'order_count':
      return `orders ${least(op)} ${value}`;
    case 'spent_cents':
      return `spent ${least(op)} ${decimalOf({ amountCents: Number(value), currency })}`;
    case 'last_order_days':
      return `last order ${days(op, value)}`;
    case 'registered_days':
      return `registered ${days(op, value)}`;
    case 'registered':
      return `registered ${op} ${value}`;
    case 'country':
      return `country ${is(op)} ${value.split(',').join(', ')}`;
    case 'tag':
      return `tag ${is(op)} ${value}`;
    case 'accepts_marketing':
      return value === 'true' ? 'accepts marketing' : 'no marketing';
    case 'has_account':
      return value === 'true' ? 'has account' : 'no account';
  }
}

const ANY = /^any(?: of(?: these)?)?:?$/i;

/** A rule as staff write it: one condition per line, and “any” above them where one is enough. */
export const ruleWords = ({ match, conditions }: Rule, currency: string): string =>
  [...(match === 'any' ? ['any of'] : []), ...conditions.map((one) => words(one, currency))].join('\n');

/** @param ctx for the currency of amounts */
export const asRule = ({ settings }: Ctx): Written => ({
  unit: 'empty: you choose the members',
  attributes: { rows: 5 },
  text: (value) => (value === null ? '' : ruleWords(value as Rule, settings.get(currencyCode))),
  read(sent): Read {
    const lines = sent.split('\n').flatMap((line) => line.trim() || []);
    const isAny = ANY.test(lines[0] ?? '');
    const conditions: Condition[] = [];
    for (const line of isAny ? lines.slice(1) : lines) {
      const read = lineIn(line, settings.get(currencyCode));
      if ('fault' in read) return read;
      conditions.push(read.condition);
    }
    return { value: { match: isAny ? 'any' : 'all', conditions } };
  },
});
