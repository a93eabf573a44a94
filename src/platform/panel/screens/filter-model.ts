import type { Ctx } from '#kernel/context.ts';
import { parameterName } from '#kernel/db/selection/narrow.ts';
import { type Choices, choicesOf } from '../forms/choices.ts';
import { labelOf } from '../forms/schema.ts';
import { type Query, withQuery } from './address.ts';
import { isDay, isTime, shownDay } from './days.ts';
import type { Desk } from './registry.ts';

/** A field of the form that narrows a list. */
export interface FilterModel {
  readonly name: string;
  readonly label: string;
  readonly kind: 'choice' | 'select' | 'text' | 'date' | 'number';
  readonly options: readonly { readonly value: string; readonly label: string; readonly isChosen: boolean }[];
  readonly value: string;
}

/** A filter that is in force, and the list without it. */
export interface ChipModel {
  readonly label: string;
  readonly value: string;
  readonly href: string;
}

/** What a list can be narrowed by. Of many that a filter could name none is offered: a list must not wait for that. */
export async function filtersOf(desk: Desk, ctx: Ctx, query: Query): Promise<readonly FilterModel[]> {
  const { ops, screen } = desk;
  const implied = ops.twin.parent?.filter;
  const shown = Object.entries(ops.spec.rows.filters).filter(([name]) => name !== implied);
  const models = await Promise.all(
    shown.map(async ([name, { label, kind, options = [], parameters, resource }]) => {
      const named = resource === undefined ? null : await choicesOf(desk, ctx, resource, null, 'none');
      return Object.keys(parameters).map((word): FilterModel => {
        const parameter = parameterName(name, word);
        const value = query[parameter] ?? '';
        const chosen = value.split(',');
        const said = kind === 'flag' ? FLAGS : options.map((one) => ({ value: one, label: one }));
        const choices = named?.options ?? said;
        return {
          name: parameter,
          label: `${screen.labels?.[name] ?? label}${WORDS[word] ?? ''}`,
          kind: named ? lookupOf(named, value) : inputOf(kind, word, choices.length, value),
          options: choices.map((one) => ({ ...one, isChosen: chosen.includes(one.value) })),
          value: kind === 'range' ? shownDay(value) : value,
        };
      });
    }),
  );
  return models.flat();
}

/** One of few is chosen; of many, or named in another way, it is typed. */
const lookupOf = ({ options, isComplete }: Choices, value: string): FilterModel['kind'] =>
  isComplete && (value === '' || options.some((one) => one.value === value)) ? 'select' : 'text';

const FLAGS = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];
const WORDS: Readonly<Record<string, string>> = {
  from: ' from',
  to: ' before',
  min: ' at least',
  max: ' at most',
};

function inputOf(kind: string, word: string, choices: number, value: string): FilterModel['kind'] {
  if (kind === 'flag' || kind === 'within') return 'select';
  if (kind === 'choice') return choices > 0 ? 'choice' : 'text';
  if (kind !== 'range') return 'text';
  if (!isTime(kind, word)) return 'number';
  // A time within a day, as a chart's address has it, stays what it is.
  return isDay(shownDay(value)) ? 'date' : 'text';
}

/** The filters in force, each with the way to take it off. */
export const chipsOf = (filters: readonly FilterModel[], path: string, query: Query): readonly ChipModel[] =>
  [
    ...(query.q ? [{ name: 'q', label: 'Search', value: query.q, options: [] }] : []),
    ...filters.filter(({ value }) => value !== ''),
  ].map(({ name, label, value, options }) => ({
    label: label || labelOf(name),
    value: options.find((one) => one.value === value)?.label ?? value.replaceAll(',', ', '),
    href: withQuery(path, query, { [name]: null }),
  }));
