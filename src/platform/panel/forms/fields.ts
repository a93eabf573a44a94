import { z } from 'zod';
import type { FieldHint, Matrix, Pairs, Written } from '../../admin/index.ts';
import { labelOf, unwrap, valueWords } from './schema.ts';
import { dayHint } from './times.ts';

/** How a form shows a field. */
type InputKind =
  | 'text'
  | 'email'
  | 'password'
  | 'number'
  | 'textarea'
  | 'code'
  | 'select'
  | 'checkboxes'
  | 'checkbox'
  | 'datetime-local'
  | 'lines'
  | 'json'
  | 'hidden';

/** A field of a form as templates show it and the panel reads it. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly kind: InputKind;
  readonly help: string | null;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly isRequired: boolean;
  /** An empty field is sent as null: it clears. */
  readonly isNullable: boolean;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Resource whose items it names. */
  readonly of: string | null;
  /** Field of that resource's view by which it names them; null for the name that paths have. */
  readonly by: string | null;
  /** Whether its options are all that it may name, or the first of many; null where nothing is offered. */
  readonly offers: 'all' | 'some' | null;
  /** Its boxes in a table; null for a list of them. */
  readonly matrix: Matrix | null;
  /** Its boxes stand for objects of a kind and an id. */
  readonly pairs: Pairs | null;
  /** What others have there. */
  readonly suggest: FieldHint['suggest'] | null;
  /** How it is typed where that depends on the installation, and that once it is known (`spelled`). */
  readonly spelling: FieldHint['written'] | null;
  readonly written: Written | null;
}

/** Texts longer than this get several lines. */
const ONE_LINE = 300;

/** What a form knows of its fields that their schemas do not say. */
export interface FormWords {
  readonly fields?: Readonly<Record<string, FieldHint>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * The fields of a form, as its schema describes them.
 *
 * @param schema that the JSON of the same operation is judged by
 * @param isChange the form shows what is there: a field that may be left out is not one that may be empty
 */
export function fieldsOf(schema: z.ZodObject, words: FormWords = {}, isChange = false): readonly FormField[] {
  const { fields = {}, labels = {} } = words;
  return Object.entries(schema.shape).map(([name, type]) =>
    fieldOf(
      name,
      type as z.ZodType,
      { ...(labels[name] && { label: labels[name] }), ...fields[name] },
      isChange,
    ),
  );
}

function fieldOf(name: string, type: z.ZodType, hint: FieldHint, isChange: boolean): FormField {
  const { base, isOptional, isNullable, takesEmpty, meta } = unwrap(type);
  const mayBeEmpty = isNullable || (isChange ? takesEmpty : isOptional);
  const said =
    hint.kind === 'textarea' || hint.kind === 'hidden'
      ? hint.kind
      : kindFor(hint, base, meta, isOptional || isNullable);
  // An address is long and still one line: what breaks it was pasted by mistake.
  const kind = said === 'textarea' && hint.kind === undefined && /url$/i.test(name) ? 'text' : said;
  return {
    name,
    label: hint.label ?? (meta.title as string | undefined) ?? labelOf(name),
    kind,
    help: kind === 'datetime-local' ? [hint.help ?? [], dayHint(name)].flat().join(' ') : (hint.help ?? null),
    options: hint.options ?? (hint.of === undefined && !hint.pairs ? optionsOf(base, kind, mayBeEmpty) : []),
    isRequired: !mayBeEmpty && !NEVER_REQUIRED.has(kind),
    isNullable,
    attributes: { ...attributesOf(base, kind, meta), ...(hint.example && { placeholder: hint.example }) },
    of: hint.of ?? null,
    by: hint.by ?? null,
    offers: null,
    matrix: hint.matrix ?? null,
    pairs: hint.pairs ?? null,
    suggest: hint.suggest ?? null,
    spelling: hint.written ?? null,
    written: null,
  };
}

/** Empty, they hold an empty list, an empty object, or no. */
const NEVER_REQUIRED: ReadonlySet<InputKind> = new Set(['checkbox', 'checkboxes', 'lines', 'json']);

/** A list of names of other things is ticked, not typed. */
function kindFor(hint: FieldHint, ...[base, meta, mayBeLeftOut]: Parameters<typeof kindOf>): InputKind {
  const kind = kindOf(base, meta, mayBeLeftOut);
  return kind === 'lines' && (hint.of !== undefined || hint.options || hint.pairs) ? 'checkboxes' : kind;
}

function kindOf(base: z.ZodType, meta: Readonly<Record<string, unknown>>, mayBeLeftOut: boolean): InputKind {
  // A box that is not ticked sends nothing: where nothing means a default, all three answers are offered.
  if (base instanceof z.ZodBoolean) return mayBeLeftOut ? 'select' : 'checkbox';
  if (base instanceof z.ZodEnum) return 'select';
  if (base instanceof z.ZodNumber) return 'number';
  if (base instanceof z.ZodArray)
    return unwrap(base.element).base instanceof z.ZodEnum ? 'checkboxes' : 'lines';
  if (!(base instanceof z.ZodString)) return 'json';
  if (meta.format === 'date-time') return 'datetime-local';
  if (meta.format === 'email') return 'email';
  // Of another person or of this one: a browser does not fill in the own password of staff.
  if (meta.format === 'password') return 'password';
  return Number(meta.maxLength ?? 0) > ONE_LINE ? 'textarea' : 'text';
}

const YES_NO = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

function optionsOf(base: z.ZodType, kind: InputKind, mayBeEmpty: boolean): FormField['options'] {
  if (kind === 'checkboxes') return wordsOf(unwrap((base as z.ZodArray).element).base as z.ZodEnum);
  if (kind !== 'select') return [];
  const choices = base instanceof z.ZodEnum ? wordsOf(base) : YES_NO;
  return mayBeEmpty ? [{ value: '', label: 'Default' }, ...choices] : choices;
}

const wordsOf = ({ options }: z.ZodEnum): FormField['options'] =>
  options.map((value) => ({ value: String(value), label: valueWords(String(value)) }));

function attributesOf(
  base: z.ZodType,
  kind: InputKind,
  { maxLength, minLength, pattern }: Readonly<Record<string, unknown>>,
): FormField['attributes'] {
  if (base instanceof z.ZodNumber) {
    const { minValue, maxValue } = base;
    const isBound = (value: number | null): value is number =>
      value !== null && Math.abs(value) < Number.MAX_SAFE_INTEGER;
    return {
      inputmode: 'numeric',
      ...(isBound(minValue) && { min: minValue }),
      ...(isBound(maxValue) && { max: maxValue }),
    };
  }
  if (kind === 'password') return { autocomplete: 'new-password' };
  if (!['text', 'email', 'textarea'].includes(kind)) return kind === 'json' ? { spellcheck: 'false' } : {};
  return {
    ...(maxLength !== undefined && { maxlength: Number(maxLength) }),
    ...(minLength !== undefined && Number(minLength) > 1 && { minlength: Number(minLength) }),
    ...(pattern !== undefined && kind === 'text' && { pattern: String(pattern) }),
  };
}
