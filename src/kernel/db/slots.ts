import type { Knex } from 'knex';
import type { Db } from './database.ts';
import { type Parameters, type Statement, statement } from './statement.ts';

/**
 * Names of the parameters of a list in a compiled statement: `id_0`, `id_1`, … Such a list has always the same length,
 * so that the statement is compiled once; places that are not needed hold null, which no column equals.
 */
export const slotsOf = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${name}_${n}`);

/** Values for the slots of a list. @param values at most as many as there are slots */
export function fillSlots(
  slots: readonly string[],
  values: readonly string[],
): Record<string, string | null> {
  if (values.length > slots.length) throw new Error(`${values.length} values for ${slots.length} slots`);
  return Object.fromEntries(slots.map((slot, n) => [slot, values[n] ?? null]));
}

/** So many values at once: most lists have one or two, and each place of a longer one costs time. */
const SIZES = [4, 64] as const;
const MOST = SIZES[1];

/**
 * A compiled statement that asks for the rows of many values, 64 of them at a time.
 *
 * @param build as for `statement`; `slots` are the places of the values, for `whereIn`
 */
export function amongValues<P extends object = object, R = object>(
  build: (knex: Knex, p: Parameters<P>, slots: readonly string[]) => Knex.QueryBuilder,
): (db: Db, params: P, values: readonly string[]) => Promise<R[]> {
  type Asked = P & { readonly [slot: string]: string | null };
  const lists = SIZES.map((size) => {
    const slots = slotsOf('value', size);
    const places = (p: Parameters<Asked>) => slots.map((slot) => p(slot));
    const asked: Statement<Asked, R> = statement<Asked, R>((q, p) => build(q, p as never, places(p)));
    return { slots, asked };
  });
  return async (db, params, values) => {
    const wanted = [...new Set(values)];
    const found: R[][] = [];
    for (let at = 0; at < wanted.length; at += MOST) {
      const some = wanted.slice(at, at + MOST);
      const { slots, asked } = lists.find(
        ({ slots }) => some.length <= slots.length,
      ) as (typeof lists)[number];
      found.push(await asked.all(db, { ...params, ...fillSlots(slots, some) } as Asked));
    }
    return found.flat();
  };
}
