import { isoTime } from '#kernel/clock.ts';
import { localMinute } from '#kernel/local-time.ts';
import { relativeTime } from '#kernel/time-words.ts';
import { usageError } from './errors.ts';

/** What a date without a time means: what ends, ends with that day; what begins, begins with it. */
export type DayEdge = 'start' | 'end';

const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?: ?(Z|UTC|[+-]\d{2}:\d{2}))?)?$/;

/** Whether a text is a date without a time. */
export const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/**
 * Reads a point in time: ISO 8601, also in the form in which times are printed. What names no zone is local time, the
 * zone of the times that are printed.
 *
 * @param flag named in the error
 * @param edge of the day, for a date without a time
 * @returns ISO 8601 UTC with milliseconds
 * @throws usage error (2) when the text is no existing date
 */
export function parseTime(flag: string, text: string, edge: DayEdge): string {
  const [, day = '', clock = edge === 'end' ? '23:59:59.999' : '00:00', zone = ''] = TIME.exec(text) ?? [];
  // A date and a time without a zone are local time to Date.parse.
  const time = Date.parse(`${day}T${clock}${zone === 'UTC' ? 'Z' : zone}`);
  // Date.parse rolls 2026-02-30 over into March; the day must come back as it was written.
  const exists = !Number.isNaN(time) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
  if (day !== '' && exists) return isoTime(time);
  throw usageError(
    `${flag} '${text}' is not a valid time`,
    `write ${flag} 2027-01-31 or ${flag} 2027-01-31T12:00:00Z`,
  );
}

/** A time for a human: local with its zone, and relative: `2026-05-01 14:03 +02:00 (3 days ago)`. Empty for no time. */
export function humanTime(iso: unknown, now: number): string {
  const minute = shortTime(iso);
  return minute === '' ? '' : `${minute} (${relativeTime(Date.parse(iso as string) - now)})`;
}

/** A time for a human where there is little room: local with its zone. Empty for no time. */
export const shortTime = (iso: unknown): string =>
  typeof iso !== 'string' || Number.isNaN(Date.parse(iso)) ? '' : localMinute(new Date(iso));
