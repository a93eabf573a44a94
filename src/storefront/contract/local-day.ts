const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MINUTE_MS = 60_000;
/** A shop has one zone; a test several. */
const MOST_KEPT = 20;

const kept = new Map<string, Intl.DateTimeFormat>();

/** Making a format costs more than using it a hundred times. */
function formatOf(name: string, make: () => Intl.DateTimeFormat): Intl.DateTimeFormat {
  let format = kept.get(name);
  if (!format) {
    format = make();
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(name, format);
  }
  return format;
}

/** The day of a moment in a time zone, `2030-05-06`. @param at ISO time @param timeZone IANA name */
export const dayIn = (at: string, timeZone: string): string =>
  formatOf(
    `day ${timeZone}`,
    () => new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }),
  ).format(Date.parse(at));

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds. */
function aheadAt(ms: number, timeZone: string): number {
  const format = formatOf(
    `ahead ${timeZone}`,
    () => new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }),
  );
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

/**
 * The first moment of a day in a time zone; null for what is not a day, such as `2030-02-31`.
 *
 * @param day `2030-05-06`
 * @param timeZone IANA name
 */
export function startOfDay(day: string, timeZone: string): string | null {
  const midnight = DAY.test(day) ? Date.parse(`${day}T00:00:00.000Z`) : Number.NaN;
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return null;
  const near = midnight - aheadAt(midnight, timeZone);
  // The clocks may change between both.
  const start = new Date(midnight - aheadAt(near, timeZone)).toISOString();
  // Where they go forward at midnight the day begins at one o'clock.
  return dayIn(start, timeZone) === day ? start : new Date(near).toISOString();
}

/**
 * The moment at which clocks show an hour on a day. Where they leave it out, the hour beside it; where they show it twice,
 * one of both.
 *
 * @param day `2030-05-06`
 * @param hour 0 to 23
 * @param timeZone IANA name
 */
export function hourOfDay(day: string, hour: number, timeZone: string): string {
  const shown = Date.parse(`${day}T${String(hour).padStart(2, '0')}:00:00.000Z`);
  const near = shown - aheadAt(shown, timeZone);
  return new Date(shown - aheadAt(near, timeZone)).toISOString();
}
