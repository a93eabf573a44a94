import { z } from 'zod';
import type { Column } from '../db/column.ts';
import type { Columns, TableRecord, ValuesIn } from '../db/record.ts';
import { instant } from '../http/fields.ts';
import { later, sharing } from '../sharing.ts';

/** A view of stored values under the names of their columns. */
type StoredView<C extends Columns, Name extends keyof ValuesIn<C>> = z.ZodObject<{
  [K in Name]: z.ZodType<ValuesIn<C>[K]>;
}>;

/**
 * The view of an object that is shown as it is stored. It says the kind of each value and no bounds: those are for
 * what is sent.
 *
 * @param names what is shown, in this order; a column is shown only when it is named here
 */
export function storedView<C extends Columns, const Name extends keyof ValuesIn<C> & string>(
  { columns }: TableRecord<C>,
  names: readonly Name[],
): StoredView<C, Name> {
  return later(() => {
    const shape = names.map((name) => [name, kindOf(columns[name] as Column)]);
    return z.object(Object.fromEntries(shape)) as unknown as StoredView<C, Name>;
  });
}

function kindOf({ traits }: Column): z.ZodType {
  if (traits.timeLength === 24) return traits.isNullable ? orNull(instant()) : instant();
  return kind(traits.schema());
}

const TEXT = z.string();
const WHOLE = z.int();

const nullables = sharing<z.ZodType, z.ZodType>(new WeakMap());
const orNull = (schema: z.ZodType): z.ZodType => nullables(schema, () => schema.nullable());

function kind(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNullable) return orNull(kind(schema.unwrap() as z.ZodType));
  if (schema instanceof z.ZodArray) return z.array(kind(schema.element as z.ZodType));
  if (schema instanceof z.ZodString) return TEXT;
  if (schema instanceof z.ZodNumber) return WHOLE;
  // A free object: what a document says of JSON in general would refer to itself.
  if (schema instanceof z.ZodUnknown) return z.record(z.string(), z.unknown());
  return schema;
}

/** The fields of an object that a view shows, in the order of the view. */
export const shownBy = <S extends z.ZodRawShape>(
  view: z.ZodObject<S>,
  values: z.output<z.ZodObject<S>>,
): z.output<z.ZodObject<S>> =>
  Object.fromEntries(
    Object.keys(view.shape).map((name) => [name, values[name as keyof typeof values]]),
  ) as z.output<z.ZodObject<S>>;
