import { systemClock } from '#kernel/clock.ts';
import type { Cli } from './frame/context.ts';
import type { Human } from './frame/output.ts';
import { yesOrNo } from './frame/rows.ts';
import { humanTime } from './frame/times.ts';
import { wrappedTo } from './frame/wrap.ts';
import { oneLine } from './printed-text.ts';

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Lines of a card: title and value; a value that is null has no line. */
export type CardLines = readonly (readonly [title: string, value: unknown])[];

/**
 * Text of one thing for a person: aligned titles, local and relative times, lists in words (cli.md section 1.4). What is
 * longer than the terminal goes on under its own column.
 * Pass it as `human` to `cli.out.value`.
 */
export function card(lines: CardLines): Human {
  const now = systemClock.epochMs();
  const shown = lines.filter(([, value]) => !isEmpty(value));
  const width = Math.max(0, ...shown.map(([title]) => title.length));
  return (paint, columns) =>
    shown
      .map(([title, value]) => {
        const text = wrappedTo(columns, textOf(value, now), width + 2);
        return `${paint('dim', title.padEnd(width))}  ${text}`;
      })
      .join('\n');
}

/**
 * Writes one thing as the answer; for a person as a card of all its fields, `lastUsedAt` as `last used`.
 *
 * @param words by field, for a person in place of its value
 */
export const writeCard = (
  cli: Cli,
  value: object,
  words: Readonly<Record<string, unknown>> = {},
): Promise<void> =>
  cli.out.value(
    value,
    card(Object.entries({ ...value, ...words }).map(([field, inner]) => [titleOf(field), inner] as const)),
  );

/** A field as the title of a line: `lastUsedAt` is `last used`. */
export const titleOf = (field: string): string =>
  field
    .replace(/(?<=.)At$/, '')
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Values may come from customers: a control character must not reach the terminal. */
function textOf(value: unknown, now: number): string {
  if (typeof value === 'boolean') return yesOrNo(value);
  if (typeof value === 'string' && ISO_TIME.test(value)) return humanTime(value, now);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return oneLine(value.join(', '));
  return oneLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
