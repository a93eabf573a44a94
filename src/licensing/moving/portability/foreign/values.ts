import { textFault } from '#kernel/http/fields.ts';
import { RowFault } from '../report.ts';

/** undefined: the source has no such column. null: it has, and this row has no value in it. */
export type Raw = unknown;

const isEmpty = (value: Raw): value is null | undefined | '' =>
  value === null || value === undefined || (typeof value === 'string' && value.trim() === '');

/**
 * A text; undefined for none.
 *
 * @throws RowFault LIMIT_RANGE when it is too long, VALUE_INVALID when it cannot be stored
 */
export function readText(field: string, value: Raw, max: number): string | undefined {
  if (isEmpty(value)) return undefined;
  if (typeof value === 'object') throw new RowFault('VALUE_INVALID', `${field} is not text`);
  const text = String(value).trim();
  const fault = textFault(text, 0, max);
  if (fault === null) return text;
  throw new RowFault(fault.rule === 'too_big' ? 'LIMIT_RANGE' : 'VALUE_INVALID', `${field} ${fault.message}`);
}

/** A flag in the spellings of CSV files; false for none. */
export const readFlag = (value: Raw): boolean =>
  value === true || (!isEmpty(value) && /^(true|t|yes|y|1)$/i.test(String(value).trim()));

/**
 * A whole number; undefined for none.
 *
 * @throws RowFault LIMIT_RANGE
 */
export function readInteger(field: string, value: Raw, min: number, max: number): number | undefined {
  if (isEmpty(value)) return undefined;
  const text = String(value).trim();
  // A spreadsheet writes 5 as 5.0.
  const number = /^-?\d{1,16}(\.0+)?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= min && number <= max) return number;
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
  throw new RowFault('LIMIT_RANGE', `${field} '${text.slice(0, 40)}' is not a whole number ${range}`);
}

/** Whether a source says that there is no limit: nothing, 0, or a word for it. */
export const isUnlimited = (value: Raw): boolean =>
  isEmpty(value) || /^(0+(\.0+)?|unlimited|infinite|∞|null|none|-1)$/i.test(String(value).trim());

/**
 * One of the values of an enumeration, in any case; undefined for none.
 *
 * @throws RowFault VALUE_INVALID
 */
export function readChoice<const T extends string>(
  field: string,
  value: Raw,
  choices: readonly T[],
): T | undefined {
  if (isEmpty(value)) return undefined;
  const found = choices.find((choice) => choice === String(value).trim().toUpperCase());
  if (found !== undefined) return found;
  throw new RowFault(
    'VALUE_INVALID',
    `${field} '${String(value).slice(0, 40)}' is none of ${choices.join(', ')}`,
  );
}

/**
 * A JSON object, as one or as its text; undefined for none.
 *
 * @throws RowFault VALUE_INVALID
 */
export function readObject(field: string, value: Raw): Record<string, unknown> | undefined {
  if (isEmpty(value)) return undefined;
  const object = typeof value === 'string' ? parsed(value) : value;
  if (typeof object === 'object' && object !== null && !Array.isArray(object)) {
    return object as Record<string, unknown>;
  }
  throw new RowFault('VALUE_INVALID', `${field} is not a JSON object`);
}

/** The value of a JSON text, or undefined. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
