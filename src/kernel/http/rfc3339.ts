const FORM = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const LONGEST = 64;
const YEAR_1970_MS = 0;
const YEAR_10000_MS = 253_402_300_800_000;

/**
 * Reads an RFC 3339 date-time and turns it into the one stored form (licensing D9).
 * A fraction finer than milliseconds is cut. A leap second is refused, because the stored form cannot hold it.
 *
 * @param text date and time with `Z` or an offset, the fraction optional
 * @returns ISO 8601 UTC with milliseconds; null for a date alone, a time without zone, a date that does not
 *   exist, and everything before 1970 or after 9999 (such a year would not sort as text)
 */
export function parseTimestamp(text: string): string | null {
  const match = text.length > LONGEST ? null : FORM.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as SixNumbers;
  const offset = offsetMinutes(match[8], match[9], match[10]);
  if (offset === null || !exists(year, month, day) || hour > 23 || minute > 59 || second > 59) return null;
  const millisecond = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const epochMs = Date.UTC(year, month - 1, day, hour, minute, second, millisecond) - offset * 60_000;
  // Date.UTC reads the years 0 to 99 as 1900 to 1999, hence the look at the year itself.
  if (year < 1969 || epochMs < YEAR_1970_MS || epochMs >= YEAR_10000_MS) return null;
  return new Date(epochMs).toISOString();
}

type SixNumbers = [number, number, number, number, number, number];

function offsetMinutes(sign?: string, hours?: string, minutes?: string): number | null {
  if (sign === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function exists(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day <= days;
}
