import { addSeconds, isoTime } from '#kernel/clock.ts';
import { parseTimestamp } from '#kernel/http/rfc3339.ts';
import { RowFault } from '../report.ts';

const LOOSE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?)?$/i;

const edges = { start: '00:00:00Z', end: '23:59:59.999Z' };

/**
 * Reads a time as other products write it: RFC 3339, a date alone, a blank instead of the T, no zone (UTC).
 *
 * @param edge of the day, for a date alone: what ends, ends with that day
 * @returns ISO 8601 UTC with milliseconds; null for none
 * @throws RowFault DATE_INVALID
 */
export function readDate(field: string, value: unknown, edge: 'start' | 'end'): string | null {
  if (value === undefined || value === null) return null;
  const text = String(value).trim();
  if (text === '') return null;
  const [, day, minute, second = ':00', zone = 'Z'] = LOOSE.exec(text) ?? [];
  const offset = /^(Z|UTC)$/i.test(zone) ? 'Z' : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const clock = minute === undefined ? edges[edge] : `${minute}${second}${offset}`;
  const time = day === undefined ? null : parseTimestamp(`${day}T${clock}`);
  if (time !== null) return time;
  throw new RowFault(
    'DATE_INVALID',
    `${field} '${text.slice(0, 40)}' is not a time such as 2027-01-31T12:00:00Z`,
  );
}

const DURATION =
  /^P(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,4})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,7})H)?(?:(\d{1,9})M)?(?:(\d{1,10})S)?)?$/i;
const YEAR_10000_MS = 253_402_300_800_000;

/**
 * A time so long after another: an ISO 8601 duration such as P1Y or P30D, in the calendar of UTC. The last day of a
 * month stays one: a month after 31 January is the end of February.
 *
 * @throws RowFault DATE_INVALID
 */
export function addDuration(field: string, iso: string, duration: string): string {
  const match = DURATION.exec(duration.trim());
  const parts = (match ?? []).slice(1).map((part) => Number(part ?? 0));
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  const from = new Date(iso);
  const month = from.getUTCFullYear() * 12 + from.getUTCMonth() + years * 12 + months;
  const lastDay = new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).getUTCDate();
  const day = Math.min(from.getUTCDate(), lastDay);
  const start = Date.UTC(Math.floor(month / 12), month % 12, day) + (from.getTime() % 86_400_000);
  const end = start + (((weeks * 7 + days) * 24 + hours) * 3600 + minutes * 60 + seconds) * 1000;
  // A duration that holds nothing, like P or PT, is none.
  const isDuration = match !== null && /\d/.test(duration);
  if (isDuration && end < YEAR_10000_MS) return isoTime(end);
  throw new RowFault(
    'DATE_INVALID',
    `${field} '${duration.slice(0, 40)}' is not a duration such as P1Y or P30D`,
  );
}

/** A time so many seconds after another. @throws RowFault DATE_INVALID beyond the year 9999 */
export function addValidity(field: string, iso: string, seconds: number): string {
  if (Date.parse(iso) + seconds * 1000 < YEAR_10000_MS) return addSeconds(iso, seconds);
  throw new RowFault('DATE_INVALID', `${field} ${seconds} ends beyond the year 9999`);
}
