import { z } from 'zod';
import type { AppError } from '../errors.ts';
import { UnreadableBody } from './body.ts';
import { issuesOf } from './fields.ts';
import type { FormFields } from './form-fields.ts';
import { FormRefusal } from './page.ts';

/** What templates are told of the form of their page. */
export interface FormState {
  /** By field. Secrets are never among them. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Text by field. */
  readonly errors: Readonly<Record<string, string>>;
  /** Above the form; the name leads to a field. */
  readonly summary: readonly { readonly field: string | null; readonly text: string }[];
}

/** Whether the name of a field says that its value must not come back in a page. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** Of a page that nobody has sent yet. @param values what its fields hold */
export const untouched = (values: Readonly<Record<string, unknown>> = {}): FormState => ({
  values,
  errors: {},
  summary: [],
});

/** What must not come back in a page, whatever its schema says. */
const SECRET_NAME = /pass(?:word|phrase)|secret|token|otp|^code$|_code$|api_?key/i;

/**
 * The input of a schema out of the fields of a form: only what the schema names. An empty field counts as absent where
 * the schema has another answer for that, as a browser sends every field of a form; `.meta({blank: true})` keeps it.
 *
 * @throws UnreadableBody for a field that is repeated although the schema wants one value
 */
export function inputOf(schema: z.ZodObject | undefined, fields: FormFields): Record<string, unknown> {
  const input: Record<string, unknown> = Object.create(null);
  for (const { name, isList, mayBeAbsent } of fieldsOf(schema)) {
    const texts = fields.get(name) ?? [];
    if (isList) input[name] = texts;
    else if (texts.length > 1) throw new UnreadableBody(`the field ${name} is given more than once`);
    else if (texts[0] !== undefined && (texts[0] !== '' || !mayBeAbsent)) input[name] = texts[0];
  }
  return input;
}

/**
 * The values with which a form is shown again: what was sent, without passwords and tokens.
 *
 * @param schema a field with `.meta({secret: true})` is a secret, and so is one whose name says so unless it says `false`
 */
export function keptValues(schema: z.ZodObject | undefined, fields: FormFields): Record<string, unknown> {
  const kept: Record<string, unknown> = Object.create(null);
  for (const { name, isList, isSecret } of fieldsOf(schema)) {
    const texts = fields.get(name);
    if (texts && !isSecret) kept[name] = isList ? texts : texts[0];
  }
  return kept;
}

/** What of a schema decides how its fields are read. */
interface Field {
  readonly name: string;
  /** `.meta({ title })`, or made from its name. */
  readonly label: string;
  readonly isList: boolean;
  readonly isSecret: boolean;
  readonly mayBeAbsent: boolean;
}

const known = new WeakMap<z.ZodObject, readonly Field[]>();

function fieldsOf(schema: z.ZodObject | undefined): readonly Field[] {
  if (!schema) return [];
  let fields = known.get(schema);
  if (!fields) known.set(schema, (fields = Object.entries(schema.shape).map(fieldOf)));
  return fields;
}

function fieldOf([name, type]: [string, z.core.$ZodType]): Field {
  const layers = layersOf(type);
  const said = (what: string) => layers.map((one) => one.meta()?.[what]).find((one) => one !== undefined);
  return {
    name,
    label: (said('title') as string | undefined) ?? labelOf(name),
    isList: layers.some((one) => one instanceof z.ZodArray),
    isSecret: (said('secret') as boolean | undefined) ?? isSecretName(name),
    mayBeAbsent: said('blank') !== true && z.safeParse(type, undefined).success,
  };
}

/** A schema and those that it wraps: optional, with a default, transformed. */
function layersOf(type: unknown): z.ZodType[] {
  const layers: z.ZodType[] = [];
  for (let one = type; one instanceof z.ZodType; ) {
    layers.push(one);
    const { innerType, in: input } = one.def as { innerType?: unknown; in?: unknown };
    one = innerType ?? input;
  }
  return layers;
}

/** What a form says that its schema refused. @param values that it keeps */
export const refusedBy = (schema: z.ZodObject, values: Values, error: z.ZodError): FormState =>
  stateOf(schema, values, faultsOf(issuesOf(error.issues)));

type Values = Readonly<Record<string, unknown>>;

/** Empty for none of the fields. */
type Fault = readonly [field: string, text: string];

/** Of a list, its field is to blame. */
const faultsOf = (issues: readonly { path: string; message: string }[]): Fault[] =>
  issues.map(({ path, message }) => [path.split('.', 1)[0] as string, message]);

/** What a form says that its use case refused, or null when the failure is not about the form. */
export function refusedFor(
  schema: z.ZodObject | undefined,
  values: Values,
  error: AppError,
): FormState | null {
  const isRefusal = error instanceof FormRefusal;
  if (!isRefusal && ![400, 409, 422, 429].includes(error.status)) return null;
  if (isRefusal) {
    const faults = Object.entries(error.fields);
    const isSaid = faults.some(([, text]) => text === error.message);
    return stateOf(schema, values, isSaid ? faults : [['', error.message], ...faults]);
  }
  const isField = (name: string): boolean => Object.hasOwn(schema?.shape ?? {}, name);
  const issues = (error.details.issues ?? []) as { path: string; message: string }[];
  // Use cases of the store spell names as its JSON does.
  const faults = faultsOf(issues).map(([name, text]): Fault => [isField(name) ? name : camelled(name), text]);
  const isOurs = faults.length > 0 && faults.every(([name]) => isField(name));
  return stateOf(schema, values, isOurs ? faults : [['', error.message]]);
}

function stateOf(schema: z.ZodObject | undefined, values: Values, faults: readonly Fault[]): FormState {
  const labels = new Map(fieldsOf(schema).map(({ name, label }) => [name, label]));
  const errors: Record<string, string> = Object.create(null);
  const summary: { field: string | null; text: string }[] = [];
  for (const [field, said] of faults) {
    const text = inWordsOfForm(said, field, labels);
    // The first fault of a field is what has to be cured first.
    if (errors[field] !== undefined) continue;
    if (field !== '') errors[field] = sentence(text);
    // Above the form, `is required` needs to say what is.
    const isPartOfOne = field !== '' && /^\p{Ll}/u.test(text);
    const whole = isPartOfOne ? `${labels.get(field) ?? labelOf(field)} ${text}` : sentence(text);
    summary.push({ field: field === '' ? null : field, text: whole });
  }
  return { values, errors, summary };
}

/** Rules of the API call fields by their names, which nobody reads in a form: `validUntil must be …`. */
function inWordsOfForm(text: string, field: string, labels: ReadonlyMap<string, string>): string {
  const rest = field !== '' && text.startsWith(`${field} `) ? text.slice(field.length + 1) : text;
  // A name of one word is an ordinary word too, and stays.
  return rest.replace(/\b[a-z]+(?:[A-Z][a-z0-9]*|_[a-z0-9]+)+\b/g, (name) => {
    const label = labels.get(name) ?? labels.get(camelled(name));
    return label === undefined ? name : `"${label}"`;
  });
}

/** `first_name` is `firstName`. */
const camelled = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Schemas say `is required`: beside a field it is a sentence of its own. */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `first_name` and `firstName` are called `First name`. */
const labelOf = (name: string): string =>
  sentence(
    name
      .replaceAll(/[_-]+/g, ' ')
      .replaceAll(/([a-z])([A-Z])/g, (_, one, two) => `${one} ${two.toLowerCase()}`),
  );
