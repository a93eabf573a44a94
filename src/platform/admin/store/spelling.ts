import { z } from 'zod';
import { issuesOf, optional, report } from '#kernel/http/fields.ts';

/** `compareAtCents` is `compare_at_cents` in the JSON of the store. */
export const spelled = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Any = z.ZodType;

/** What was declared with `check`, `min` and the like. */
const checksOf = <T>({ def }: Any): z.core.$ZodCheck<T>[] => [...(def.checks ?? [])] as z.core.$ZodCheck<T>[];

const inside = (schema: Any): Any | undefined => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return schema.unwrap() as Any;
  return undefined;
};

/** The schema of a body as the store spells its names, which ignores what it does not know (Z2). */
export function respelledBody(schema: z.ZodObject): z.ZodObject {
  const body = z.object(
    Object.fromEntries(
      Object.entries(schema.shape).map(([name, field]) => [spelled(name), respelled(field as Any)]),
    ),
  );
  const checks = checksOf<Record<string, unknown>>(schema);
  if (checks.length === 0) return body;
  // The fields are judged by then: what is left are the rules over several of them, by the names that they know.
  const rules = z.looseObject({}).check(...checks);
  return body.check((checked) => {
    const judged = rules.safeParse(declaredNames(schema, checked.value));
    for (const { path, rule, message } of issuesOf(judged.error?.issues ?? []))
      report(checked, rule, message, path === '' ? [] : path.split('.').map(spelled));
  });
}

function respelled(schema: Any): Any {
  if (schema instanceof z.ZodObject) return respelledBody(schema);
  if (schema instanceof z.ZodArray) {
    const element = schema.element as Any;
    const same = respelled(element);
    if (same === element) return schema;
    // It says what is wrong with a list that is missing.
    const error = schema.def.error as ((issue: unknown) => string | undefined) | undefined;
    return z.array(same, { ...(error && { error }) }).check(...checksOf<unknown[]>(schema));
  }
  const inner = inside(schema);
  if (inner === undefined) return schema;
  const same = respelled(inner);
  return same === inner ? schema : optional(same);
}

/** The fields of a body as the store spells them: what a part of it must be. */
export const storeFields = (schema: z.ZodObject): Readonly<Record<string, Any>> =>
  respelledBody(schema).shape;

/** A body that was declared in code, with the names of the store. */
export function storeNames(schema: Any, value: unknown): unknown {
  const inner = inside(schema);
  if (inner !== undefined) return storeNames(inner, value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => storeNames(schema.element as Any, item));
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => Object.hasOwn(schema.shape, name))
      .map(([name, one]) => [spelled(name), storeNames(schema.shape[name] as Any, one)]),
  );
}

/** A body with the names that the declared schema gives them; keys of records are nobody's names and stay. */
export function declaredNames(schema: Any, value: unknown): unknown {
  const inner = inside(schema);
  if (inner !== undefined) return declaredNames(inner, value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => declaredNames(schema.element as Any, item));
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  const given = value as Record<string, unknown>;
  const names = Object.entries(schema.shape).filter(([name]) => Object.hasOwn(given, spelled(name)));
  return Object.fromEntries(
    names.map(([name, field]) => [name, declaredNames(field as Any, given[spelled(name)])]),
  );
}

/** `compare_at_cents` is `compareAtCents` in code. */
const camelled = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The schema of an answer of the store with the names that code has. */
export function camelView<V extends Any>(schema: V): V {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => [
      camelled(name),
      camelView(field as Any),
    ]);
    return z.object(Object.fromEntries(fields)) as unknown as V;
  }
  if (schema instanceof z.ZodArray) return z.array(camelView(schema.element as Any)) as unknown as V;
  if (schema instanceof z.ZodNullable) return camelView(schema.unwrap() as Any).nullable() as unknown as V;
  if (schema instanceof z.ZodOptional) return camelView(schema.unwrap() as Any).optional() as unknown as V;
  return schema;
}

/** An answer of the store with the names that code has. @param schema of the answer, as the store spells it */
export function camelNames(schema: Any, value: unknown): unknown {
  const inner = inside(schema);
  if (inner !== undefined) return camelNames(inner, value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => camelNames(schema.element as Any, item));
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const field = schema.shape[name] as Any | undefined;
      return [camelled(name), field === undefined ? one : camelNames(field, one)];
    }),
  );
}
