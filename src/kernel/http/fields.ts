import { z } from 'zod';
import { sharing } from '../sharing.ts';
import { parseTimestamp } from './rfc3339.ts';

/** What a check receives: the value so far, which it may replace, and the list of faults it may add to. */
export interface Checked<T> {
  value: T;
  issues: z.core.$ZodRawIssue[];
}

/** Rules a text may carry beside its length. */
export interface TextRules {
  /** Fewest code points; 0 when absent. */
  min?: number;
  /** Most code points. */
  max: number;
  /** Cut surrounding white space first (D10: license keys and e-mail addresses only). */
  trim?: boolean;
  /** A form that the whole text must have, with the words that describe it: `must be ${form.says}`. */
  form?: { pattern: RegExp; says: string };
}

/**
 * A text whose length counts Unicode code points (licensing D10). U+0000 and lone surrogates are refused (D4),
 * because neither database stores both of them faithfully.
 */
export function text(rules: TextRules): z.ZodString {
  const { min = 0, max, trim = false, form } = rules;
  return form ? newText(rules) : texts(`${min} ${max} ${trim}`, () => newText(rules));
}

/** The form of a name or a place: it goes into heads of emails and lines of documents. */
export const oneLine = {
  pattern: /^[^\p{Cc}\u2028\u2029]*$/u,
  says: 'one line without control characters',
};

const texts = sharing<string, z.ZodString>(new Map());

function newText({ min = 0, max, trim = false, form }: TextRules): z.ZodString {
  return string()
    .check((checked) => {
      if (trim) checked.value = checked.value.trim();
      const fault = textFault(checked.value, min, max);
      if (fault !== null) return void report(checked, fault.rule, fault.message);
      if (form && !form.pattern.test(checked.value))
        report(checked, 'invalid_format', `must be ${form.says}`);
    })
    .meta({
      ...(min > 0 && { minLength: min }),
      maxLength: max,
      ...(form && { pattern: form.pattern.source }),
    });
}

/**
 * The name of something that a caller asks for: any text but the empty one. What is no name leads to nothing, as an
 * unknown name does, so its length and its characters are not judged here: whoever looks it up must bear them.
 */
export const wantedName = (): z.ZodString => WANTED;

/** A point in time as D9 reads it: RFC 3339 with zone in, ISO 8601 UTC with milliseconds out. */
export const timestamp = (): z.ZodString => TIMESTAMP;

/** A point in time in a reply: the stored form and nothing else. */
export const instant = (): z.ZodISODateTime => INSTANT;

const INSTANT = z.iso.datetime({ precision: 3 }).meta({ pattern: undefined });

/**
 * An e-mail address of at most `max` code points, trimmed (D10). The form is judged loosely: one `@`, no white
 * space, a domain with a dot. Only a delivered mail proves an address, and names in other scripts are valid.
 */
export const email = (max = 255): z.ZodString => emails(max, newEmail);

const emails = sharing<number, z.ZodString>(new Map());

const newEmail = (max: number): z.ZodString =>
  text({ min: 3, max, trim: true, form: { pattern: EMAIL, says: 'an email address' } }).meta({
    format: 'email',
    pattern: undefined,
  });

const EMAIL =
  /^[^\s\p{C}@<>()[\]\\,;:".]+(?:\.[^\s\p{C}@<>()[\]\\,;:".]+)*@[^\s\p{C}@<>()[\]\\,;:".]+(?:\.[^\s\p{C}@<>()[\]\\,;:".]+)+$/u;

/** A whole number within both bounds. No coercion: `"5"` is refused (D6). */
export const integer = (min: number, max: number = Number.MAX_SAFE_INTEGER): z.ZodInt =>
  integers(`${min} ${max}`, () => newInteger(min, max));

const integers = sharing<string, z.ZodInt>(new Map());

const newInteger = (min: number, max: number): z.ZodInt =>
  z
    .int({ error: (issue) => wrongType(issue.input, 'a whole number') })
    .min(min, { error: `must be at least ${min}` })
    .max(max, { error: `must be at most ${max}` });

/** A count in a reply: a whole number from 0. */
export const count = (): z.ZodInt => COUNT;

const COUNT = z.int().min(0).meta({ maximum: undefined });

/** A flag. No coercion. */
export const flag = (): z.ZodBoolean => FLAG;

/** One of the listed values, case-sensitive. */
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  words(values.join('\n'), () => newOneOf(values)) as ReturnType<typeof newOneOf<T>>;

const words = sharing<string, z.ZodType>(new Map());

const newOneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, {
    error: (issue) => (issue.input === undefined ? 'is required' : `must be one of ${values.join(', ')}`),
  });

/**
 * A field that may be left out; null counts as left out (D6). The result never holds null.
 * The type says ZodOptional, which is what a reader of the parsed value sees.
 */
export function optional<S extends z.ZodType>(schema: S): z.ZodOptional<S> {
  return optionals(schema, () => z.optional(z.nullable(schema)).overwrite(nullLeftOut)) as z.ZodOptional<S>;
}

const optionals = sharing<z.ZodType, z.ZodType>(new WeakMap());

const nullLeftOut = <T>(value: T): T => (value ?? undefined) as T;

/**
 * A whole number of a query string, which always arrives as text (D6). Only digits are read: `1e2`, ` 5`, `0x10`
 * and a repeated parameter are refused.
 *
 * @param range bounds, and the value that stands in for an absent parameter
 */
export function queryInteger(range: { min: number; max: number; fallback: number }) {
  const digits = (value: unknown): unknown =>
    typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return z.preprocess(digits, integer(range.min, range.max)).default(range.fallback);
}

/**
 * Adds one fault to a check's list.
 *
 * @param rule the machine-readable name printed in `details.issues[].rule`
 * @param path where below the checked value, empty for the value itself
 */
export function report(
  checked: Checked<unknown>,
  rule: string,
  message: string,
  path: PropertyKey[] = [],
): void {
  checked.issues.push({ code: 'custom', input: checked.value, path, message, params: { rule } });
}

/** One fault as `details.issues` prints it (licensing 6.6). */
export interface Issue {
  /** Names joined by dots, `licenses.0.productId`; empty for the whole input. */
  path: string;
  rule: string;
  message: string;
}

const MOST_ISSUES = 20;

/** The faults of a refused input, at most 20. */
export const issuesOf = (issues: readonly z.core.$ZodIssue[]): Issue[] =>
  issues.slice(0, MOST_ISSUES).map((issue) => ({
    path: issue.path.join('.'),
    rule: ruleOf(issue),
    message: issue.code === 'unrecognized_keys' ? `unknown: ${issue.keys.join(', ')}` : issue.message,
  }));

function ruleOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'custom') return issue.message === 'is required' ? 'required' : issue.code;
  return typeof issue.params?.rule === 'string' ? issue.params.rule : issue.code;
}

/**
 * The fault of a text, or null: wrong length in code points, U+0000, or a lone surrogate.
 *
 * @param min fewest code points
 * @param max most code points
 */
export function textFault(value: string, min: number, max: number): { rule: string; message: string } | null {
  if (value.includes('\0')) return { rule: 'invalid_character', message: 'must not contain U+0000' };
  if (!value.isWellFormed()) return { rule: 'invalid_character', message: 'must be well-formed Unicode' };
  // A code point is one or two UTF-16 units, so most texts are settled without counting.
  if (value.length <= max && value.length >= 2 * min) return null;
  const length = codePoints(value);
  if (length < min) {
    return {
      rule: 'too_small',
      message: min === 1 ? 'must not be empty' : `must have at least ${min} characters`,
    };
  }
  if (length > max) return { rule: 'too_big', message: `must have at most ${max} characters` };
  return null;
}

/** Number of Unicode code points of a well-formed text. */
export function codePoints(value: string): number {
  let pairs = 0;
  for (let i = 0; i < value.length; i++) if ((value.charCodeAt(i) & 0xfc00) === 0xd800) pairs++;
  return value.length - pairs;
}

const string = () => z.string({ error: (issue) => wrongType(issue.input, 'a string') });

const WANTED = string().min(1, { error: 'is required' });

const TIMESTAMP = string()
  .check((checked) => {
    const normal = parseTimestamp(checked.value);
    if (normal === null) {
      report(
        checked,
        'invalid_format',
        'must be an RFC 3339 date-time with Z or an offset, from 1970 to 9999',
      );
    } else checked.value = normal;
  })
  .meta({ format: 'date-time' });

const FLAG = z.boolean({ error: (issue) => wrongType(issue.input, 'true or false') });

const wrongType = (input: unknown, wanted: string): string =>
  input === undefined ? 'is required' : `must be ${wanted}`;
