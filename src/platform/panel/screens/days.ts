import type { Filter } from '#kernel/db/selection/filter.ts';
import { parameterName } from '#kernel/db/selection/narrow.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;
const BEGUN = /^(\d{4}-\d\d-\d\d)T00:00(?::00(?:\.0+)?)?Z$/;

/** Whether a parameter of a filter is a point in time. @param word that follows the filter's name */
export const isTime = (kind: string, word: string): boolean =>
  kind === 'range' && word !== 'min' && word !== 'max';

/** The parameters of filters that are points in time. */
export const timesOf = (filters: Readonly<Record<string, Filter>>): ReadonlySet<string> =>
  new Set(
    Object.entries(filters).flatMap(([name, { kind, parameters }]) =>
      Object.keys(parameters)
        .filter((word) => isTime(kind, word))
        .map((word) => parameterName(name, word)),
    ),
  );

/** What the admin API takes for a day: its beginning in UTC, from which or before which rows are listed. */
export const dayBegun = (text: string): string => (DAY.test(text) ? `${text}T00:00:00Z` : text);

/** The day of what is the beginning of one; anything else as it is. */
export const shownDay = (text: string): string => BEGUN.exec(text)?.[1] ?? text;

/** Whether an input for days can show it. */
export const isDay = (text: string): boolean => text === '' || DAY.test(text);
