import { isoTime } from '#kernel/clock.ts';

const MS_PER_MINUTE = 60_000;
const ZERO = '0'.charCodeAt(0);

/** The millisecond of its day of an ISO time: asked for each request, and a date would cost ten times as much. */
export function msOfDay(now: string): number {
  const digit = (place: number) => now.charCodeAt(place) - ZERO;
  const hours = digit(11) * 10 + digit(12);
  const minutes = digit(14) * 10 + digit(15);
  const seconds = digit(17) * 10 + digit(18);
  const ms = digit(20) * 100 + digit(21) * 10 + digit(22);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms;
}

/** The time as it is stored. @param day `2026-03-01` */
export const timeOf = (day: string, msOfDay: number): string =>
  isoTime(Date.parse(`${day}T00:00:00.000Z`) + msOfDay);

/** `14:05` */
export function minuteOf(msOfDay: number): string {
  const minutes = Math.floor(msOfDay / MS_PER_MINUTE);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
