const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MINUTE_MS = 60_000;

/** The day of a moment in a time zone, `2030-05-06`. @param at ISO time @param timeZone IANA name */
export const dayIn = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(Date.parse(at));

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds. */
function aheadAt(ms: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
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
  return new Date(midnight - aheadAt(near, timeZone)).toISOString();
}
