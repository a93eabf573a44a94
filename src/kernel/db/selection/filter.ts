import { z } from 'zod';
import { addSeconds } from '../../clock.ts';
import type { Ctx } from '../../context.ts';
import { oneOf, report, text, timestamp } from '../../http/fields.ts';
import type { Knex } from '../database.ts';
import { containsPattern, likeSql, whereEntry } from '../dialect.ts';

/** What a filter of a list is, for the screens that offer it. */
export type FilterKind = 'choice' | 'range' | 'within' | 'lookup' | 'text' | 'pair' | 'flag';

/** Narrows a query to a value that the schema of its parameter has read. */
type Apply<V> = (query: Knex.QueryBuilder, value: V, ctx: Ctx) => void;

/** One parameter of a filter, by the name that a query gives it. */
interface Parameter {
  readonly schema: z.ZodType;
  apply(query: Knex.QueryBuilder, value: unknown, ctx: Ctx): void | Promise<void>;
}

/** By what a list can be narrowed: its parameters in a query string, and what each does to the rows (admin.md 1). */
export interface Filter {
  readonly label: string;
  readonly kind: FilterKind;
  /** What may be chosen, where that is a short list. */
  readonly options?: readonly string[];
  /** Parameters by what follows the name of the filter: `''` for one that is called as the filter is. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Tables that its predicate needs beside the rows' own, by their names in `joins`. */
  readonly needs?: readonly string[];
  /** Whose items it names. */
  readonly resource?: string;
}

/** What every filter may say. */
interface Common {
  /** As a screen calls it. */
  readonly label: string;
  /** As `Filter.needs`. */
  readonly needs?: readonly string[];
}

const MOST_VALUES = 50;
const LONGEST_TEXT = 200;
const LONGEST_LIST = 5000;

const one = (kind: FilterKind, { label, needs }: Common, parameter: Parameter, more = {}): Filter => ({
  label,
  kind,
  ...(needs && { needs }),
  ...more,
  parameters: { '': parameter },
});

/** @param schema or what makes it: hundreds of filters are declared, and a server is asked for few of them */
const parameter = <S extends z.ZodType>(schema: S | (() => S), apply: Apply<z.output<S>>): Parameter => {
  let made: S | undefined;
  return {
    get schema() {
      return (made ??= typeof schema === 'function' ? schema() : schema);
    },
    apply: apply as Parameter['apply'],
  };
};

/** `a,b,c`: any of them. */
const listOf = <T extends string>(item: z.ZodType<T, string>) =>
  text({ min: 1, max: LONGEST_LIST })
    .transform((value) => value.split(','))
    .pipe(z.array(item).min(1).max(MOST_VALUES));

const lookedFor = () => text({ min: 1, max: LONGEST_TEXT });

const TEXTS = listOf(lookedFor());
const FLAG = oneOf(['true', 'false']).transform((value) => value === 'true');

/** Kinds of filters, each with the form of its parameters (admin.md 1). */
export const filter = {
  /**
   * Any of some words: `status=ACTIVE,EXPIRED`.
   *
   * @param how column that holds the word, or what narrows to the words
   */
  choice: <const T extends readonly [string, ...string[]]>(
    options: T,
    how: Common & { column: string | Apply<T[number][]> },
  ): Filter => {
    const { column } = how;
    const apply: Apply<T[number][]> =
      typeof column === 'string' ? (query, values) => void query.whereIn(column, values) : column;
    return one(
      'choice',
      how,
      parameter(() => listOf(oneOf(options)), apply),
      { options },
    );
  },

  /** `true` or `false`. @param how column of a flag, or what narrows to it */
  flag: (how: Common & { column: string | Apply<boolean> }): Filter => {
    const { column } = how;
    const apply: Apply<boolean> =
      typeof column === 'string' ? (query, value) => void query.where(column, value) : column;
    return one('flag', how, parameter(FLAG, apply));
  },

  /** Any of some texts: `event=LICENSE_CREATED,LICENSE_REVOKED`. */
  anyOf: (how: Common & { column: string }): Filter =>
    one(
      'text',
      how,
      parameter(TEXTS, (query, values) => void query.whereIn(how.column, values)),
    ),

  /** A text that the column equals, begins with or holds; case counts only where it must be equal. */
  text: (
    how: Common & { column: string | Apply<string>; match?: 'exact' | 'prefix' | 'contains' },
  ): Filter => {
    const { column, match = 'exact' } = how;
    const apply: Apply<string> =
      typeof column === 'string' ? (query, value) => matching(query, column, value, match) : column;
    return one('text', how, parameter(lookedFor, apply));
  },

  /**
   * Rows that belong to other rows: `productId=prd_…,prd_…`.
   *
   * @param how column of the id, or what narrows to the ids; `resource` whose ids are taken; `id` finds the id of what is named in another way, such as a slug
   */
  lookup: (
    how: Common & {
      column: string | Apply<string[]>;
      resource: string;
      id?: (ctx: Ctx, named: string) => Promise<string>;
    },
  ): Filter => {
    const { column, resource, id = async (_ctx: Ctx, named: string) => named } = how;
    const apply = async (query: Knex.QueryBuilder, named: string[], ctx: Ctx): Promise<void> => {
      const ids = await Promise.all(named.map((value) => id(ctx, value)));
      if (typeof column === 'string') query.whereIn(column, ids);
      else column(query, ids, ctx);
    };
    return one('lookup', how, { schema: TEXTS, apply: apply as Parameter['apply'] }, { resource });
  },

  /** From a time on and before another one: `from`, `to` after the filter's name. */
  times: (how: Common & { column: string }): Filter => ({
    label: how.label,
    kind: 'range',
    ...(how.needs && { needs: how.needs }),
    parameters: {
      from: parameter(timestamp, (query, from) => void query.where(how.column, '>=', from)),
      to: parameter(timestamp, (query, to) => void query.where(how.column, '<', to)),
    },
  }),

  /** At least and at most: `min`, `max` after the filter's name. Money counts its smallest unit. */
  numbers: (how: Common & { column: string }): Filter => ({
    label: how.label,
    kind: 'range',
    ...(how.needs && { needs: how.needs }),
    parameters: {
      min: parameter(
        () => whole(),
        (query, min) => void query.where(how.column, '>=', min),
      ),
      max: parameter(
        () => whole(),
        (query, max) => void query.where(how.column, '<=', max),
      ),
    },
  }),

  /** A time that comes within so many days, or has come within the last ones: `30d`, `12h`. */
  within: (
    how: Common & { column: string; presets: readonly string[]; direction: 'ahead' | 'behind' },
  ): Filter => {
    const { column, presets, direction } = how;
    const apply: Apply<number> = (query, seconds, ctx) => {
      const now = ctx.now();
      if (direction === 'ahead') query.where(column, '>', now).where(column, '<=', addSeconds(now, seconds));
      else query.where(column, '>=', addSeconds(now, -seconds)).where(column, '<=', now);
    };
    return one(
      'within',
      how,
      parameter(() => lengthOfTime(), apply),
      { options: presets },
    );
  },

  /** One entry of a JSON object: `metadata=plan%3Dpro`. */
  pair: (how: Common & { column: string }): Filter => {
    const schema = () =>
      text({ min: 3, max: LONGEST_TEXT }).check((checked) => {
        if (!/^[^=]+=/.test(checked.value)) report(checked, 'invalid_format', 'must be NAME=VALUE');
      });
    return one(
      'pair',
      how,
      parameter(schema, (query, value) => {
        const at = value.indexOf('=');
        whereEntry(query, how.column, { name: value.slice(0, at), value: value.slice(at + 1) });
      }),
    );
  },

  /** What no other kind says: one parameter, read by a schema of its own. */
  other: <S extends z.ZodType>(
    kind: FilterKind,
    schema: S,
    how: Common & { apply: Apply<z.output<S>> },
  ): Filter => one(kind, how, parameter(schema, how.apply)),
};

const whole = () =>
  text({ max: 16, form: { pattern: /^-?\d{1,15}$/, says: 'a whole number' } }).transform(Number);

const SECONDS = { h: 3600, d: 86_400 } as const;

const lengthOfTime = () =>
  text({
    max: 6,
    form: { pattern: /^[1-9]\d{0,4}[hd]$/, says: 'a number of days or hours, like 30d or 12h' },
  }).transform((value) => Number(value.slice(0, -1)) * SECONDS[value.slice(-1) as 'h' | 'd']);

/** Narrows to rows whose column has, begins with or holds a text. */
export function matching(
  query: Knex.QueryBuilder,
  column: string,
  value: string,
  match: 'exact' | 'prefix' | 'contains',
): void {
  if (match === 'exact') query.where(column, value);
  else {
    const pattern = containsPattern(value).slice(match === 'prefix' ? 1 : 0);
    query.whereRaw(likeSql(query, value), [column, pattern]);
  }
}
