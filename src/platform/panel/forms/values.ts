import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { refuseForm } from '#kernel/http/page.ts';
import type { Pairs, Written } from '../../admin/index.ts';
import type { FormField } from './fields.ts';
import { momentText, timeName, utcOf } from './times.ts';

/** What a form holds, by field: a text, or a list of them. */
export type Texts = Readonly<Record<string, string | readonly string[]>>;
/** Values as JSON has them. */
type Values = Readonly<Record<string, unknown>>;

const isMoment = ({ kind }: FormField): boolean => kind === 'datetime-local';
const isListed = ({ kind }: FormField): boolean => kind === 'checkboxes';

/** The schema by which the kernel reads a form: texts alone, because the operation judges them. */
export const rawForm = (fields: readonly FormField[], more: z.ZodRawShape = {}): z.ZodObject =>
  z.object({
    ...Object.fromEntries(
      fields.map((field) => [
        field.name,
        (isListed(field) ? z.array(z.string()) : z.string().optional()).meta({ title: field.label }),
      ]),
    ),
    ...Object.fromEntries(
      fields.filter(isMoment).map(({ name }) => [timeName(name), z.string().max(20).optional()]),
    ),
    ...more,
  });

/** What the fields of a form show of values. */
export const textsOf = (fields: readonly FormField[], values: Values): Texts =>
  Object.fromEntries(fields.map((field) => [field.name, textOf(field, values[field.name])]));

/** What an address lets a form begin with: whatever it says is a text, and between commas stand several. */
export const textsIn = (fields: readonly FormField[], query: Readonly<Record<string, string>>): Texts =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const text = query[field.name];
      if (text === undefined) return [];
      if (isListed(field)) return [[field.name, text.split(',')]];
      return [[field.name, field.kind === 'datetime-local' ? textOf(field, text) : text]];
    }),
  );

function textOf({ kind, pairs, written }: FormField, value: unknown): string | string[] {
  if (value === undefined || value === null) return kind === 'checkboxes' ? [] : '';
  if (written) return written.text(value);
  if (pairs) return (value as Values[]).map((one) => `${one[pairs.kind]} ${one[pairs.id]}`);
  if (kind === 'checkboxes') return (value as unknown[]).map(String);
  if (kind === 'lines') return (value as unknown[]).join('\n');
  // Of what may hold nothing, an empty field says so.
  if (kind === 'json') return isEmpty(value) ? '' : JSON.stringify(value, null, 2);
  // Browsers want the time without its zone, which the label names.
  if (kind === 'datetime-local') return String(value).replace(/(?::00)?\.000Z$|Z$/, '');
  return String(value);
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/**
 * The body of an operation out of the texts of its form.
 *
 * @param before what the form showed first: only what was changed since is sent; undefined sends all that is filled in
 * @throws FormRefusal for a text that no value can be made of
 */
export function bodyOf(
  fields: readonly FormField[],
  sent: Readonly<Record<string, unknown>>,
  before?: Texts,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const field of fields) {
    const shown = before?.[field.name] ?? '';
    try {
      const text = sentText(field, sent, shown);
      if (before && isSame(text, shown)) continue;
      const value = readValue(field, text, before !== undefined);
      if (value !== undefined) body[field.name] = value;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      faults[field.name] = error.message;
    }
  }
  const unread = fields.filter(({ name }) => Object.hasOwn(faults, name)).map(({ label }) => label);
  if (unread.length > 0) throw refuseForm(`Check what you entered for ${unread.join(', ')}`, faults);
  return body;
}

/**
 * What a form sent for a field.
 *
 * @param shown what the field showed first
 * @throws FormRefusal for a time without a day
 */
export function sentText(field: FormField, all: Values, shown: Texts[string] = ''): string | string[] {
  const sent = all[field.name];
  if (isListed(field)) {
    const texts = (sent ?? []) as string[];
    // Beside the boxes is room for those that are not offered, one a line.
    return field.of === null && !field.pairs ? texts : [...new Set(texts.flatMap((one) => linesOf(one)))];
  }
  // A box that is not ticked sends nothing.
  if (field.kind === 'checkbox') return String(sent === 'true');
  const text = ((sent ?? '') as string).replaceAll('\r\n', '\n');
  return isMoment(field)
    ? momentText(text, (all[timeName(field.name)] ?? '') as string, String(shown))
    : text;
}

const isSame = (one: string | readonly string[], other: string | readonly string[]): boolean =>
  typeof one === 'string' ? one === other : [...one].sort().join('\n') === [...other].sort().join('\n');

/** @returns undefined for what is not sent */
function readValue(field: FormField, text: string | string[], isChange: boolean): unknown {
  const { kind, isNullable, isRequired, pairs } = field;
  if (typeof text !== 'string') {
    if (text.length === 0 && !isChange) return undefined;
    return pairs ? text.map((one) => pairOf(pairs, one)) : text;
  }
  if (text === '') {
    if (isChange && isNullable) return null;
    if (isChange && kind === 'lines') return [];
    return isRequired || (isChange && ['text', 'textarea'].includes(kind))
      ? ''
      : isChange && kind === 'json'
        ? {}
        : undefined;
  }
  if (field.written) return understood(field.written.read(text));
  if (kind === 'checkbox' || (kind === 'select' && /^(?:true|false)$/.test(text))) return text === 'true';
  // What is no number is refused by the schema, in its words.
  if (kind === 'number') return /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text;
  if (kind === 'datetime-local') return utcOf(field.name, text);
  if (kind === 'lines') return linesOf(text);
  return kind === 'json' ? parsed(text) : text;
}

/** @throws FormRefusal for what it was not understood as */
function understood(read: ReturnType<Written['read']>): unknown {
  if ('fault' in read) throw refuseForm(read.fault);
  return read.value;
}

/** `tenant ten_01…` of a box or a line; the schema judges what it names. */
function pairOf({ kind, id }: Pairs, text: string): Values {
  const [first = '', ...rest] = text.split(' ');
  return { [kind]: first, [id]: rest.join(' ').trim() };
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuseForm('is not valid JSON: names and texts need double quotes, as in {"plan": "pro"}');
  }
}
