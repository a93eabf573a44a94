import { currencyExponent } from '#kernel/money.ts';

/** What a cell or a field was understood as, or why it was not, in a sentence. */
export type Understood<T> = { readonly value: T } | { readonly fault: string };

const GROUPED = /^\d{1,3}(?:([,.\u00a0\u202f ’'])\d{3})(?:\1\d{3})*$/;

/** The digits of a number whose separators of thousands, if any, stand where they belong; null for anything else. */
function digitsOf(text: string): string | null {
  if (/^\d+$/.test(text)) return text;
  return GROUPED.test(text) ? text.replaceAll(/\D/g, '') : null;
}

/**
 * An amount as people type it or a spreadsheet copies it: `1234.5`, `1,234.50`, `1.234,50`, `$1,234.50`, `1 234,50 €`. A
 * comma before three digits separates thousands; so does a point where a comma follows.
 *
 * @param currency of the shop: it says how many decimal places there are
 * @returns minor units; a fault for what could be two amounts, such as `1.234` of a currency with two places
 */
export function amountIn(text: string, currency: string): Understood<number> {
  const places = currencyExponent(currency);
  const example = places === 0 ? '1900' : `19${'.'.padEnd(places + 1, '0')}`;
  if (text.trim() === '') return { fault: `Enter an amount, such as ${example}` };
  const bare = text.replaceAll(/[\p{Sc}\s]|^[A-Z]{3}|[A-Z]{3}$/gu, '');
  const [, before = '', mark = '', after = ''] = /^(.*?)(?:([.,])(\d*))?$/s.exec(bare) ?? [];
  const isThousands = mark === ',' && after.length === 3 && places !== 3;
  const whole = digitsOf(isThousands || mark === '' ? bare : before);
  const fraction = isThousands ? '' : after;
  if (whole === null || whole.length > 12)
    return { fault: `“${text.trim().slice(0, 40)}” is not an amount; enter it as ${example}` };
  if (fraction.length > places)
    return {
      fault: `“${text.trim().slice(0, 40)}” has ${fraction.length} decimal places; ${currency} has ${places === 0 ? 'none' : places}`,
    };
  return { value: Number(whole + fraction.padEnd(places, '0')) };
}

/** A whole number with or without separators of thousands. @param unit what it counts: `grams` */
export function wholeIn(text: string, unit: string): Understood<number> {
  const digits = digitsOf(text.trim());
  if (digits !== null && digits.length <= 12) return { value: Number(digits) };
  return { fault: `“${text.trim().slice(0, 40)}” is not a whole number of ${unit}` };
}
