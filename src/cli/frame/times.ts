import { isoTime } from '#kernel/clock.ts';
import { localMinute } from '#kernel/local-time.ts';
import { counted } from './counts.ts';
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

/** Unit, its length in seconds, and from how many seconds on it is used. */
const units = [
  ['year', 31_536_000, 31_536_000],
  ['month', 2_592_000, 5_184_000],
  ['day', 86_400, 86_400],
  ['hour', 3600, 3600],
  ['minute', 60, 60],
] as const;

/** A time for a human: local with its zone, and relative: `2026-05-01 14:03 +02:00 (3 days ago)`. Empty for no time. */
export function humanTime(iso: unknown, now: number): string {
  if (typeof iso !== 'string' || Number.isNaN(Date.parse(iso))) return '';
  const time = new Date(iso);
  return `${localMinute(time)} (${relativeTime(time.getTime() - now)})`;
}

/** A distance in time, rounded: `in 30 days`, `2 hours ago`, `now`. Up to two months it is told in days. */
export function relativeTime(distanceMs: number): string {
  const seconds = Math.round(Math.abs(distanceMs) / 1000);
  const [unit, length] = units.find(([, , from]) => seconds >= from) ?? ['', 1];
  if (unit === '') return 'now';
  const count = Math.round(seconds / length);
  const text = counted(count, unit);
  return distanceMs < 0 ? `${text} ago` : `in ${text}`;
}

/** A length of time in its largest unit, rounded: `18 minutes`, `7 years`, `12 seconds`. */
export function lengthText(seconds: number): string {
  const [unit, length] = units.find(([, , from]) => Math.abs(seconds) >= from) ?? ['second', 1];
  return counted(Math.round(Math.abs(seconds) / length), unit);
}
