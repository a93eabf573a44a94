/** Times in the zone of this computer (TZ), for people: each one names its zone. */

const two = (value: number): string => String(value).padStart(2, '0');

/** The distance of local time to UTC at a moment: `+02:00`; `UTC` where there is none. */
export function zoneOf(time: Date): string {
  const minutes = -time.getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
}

/** Name of the zone of this computer: `Europe/Berlin`. */
export const zoneName = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Whether a text is the IANA name of a zone: `Europe/Berlin`, `UTC`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** `2026-05-01 14:03`, without its zone. */
const minuteOf = (time: Date): string =>
  `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${two(time.getHours())}:${two(time.getMinutes())}`;

/** A moment in local time: `2026-05-01 14:03 +02:00`. */
export const localMinute = (time: Date): string => `${minuteOf(time)} ${zoneOf(time)}`;

/** A moment in local time: `2026-05-01 14:03:59 +02:00`. */
export const localSecond = (time: Date): string =>
  `${minuteOf(time)}:${two(time.getSeconds())} ${zoneOf(time)}`;

/** Time of day in local time: `14:03:59.120 +02:00`. */
export const localClock = (time: Date): string => {
  const millis = String(time.getMilliseconds()).padStart(3, '0');
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${millis} ${zoneOf(time)}`;
};
