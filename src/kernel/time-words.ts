import { counted } from './counts.ts';

/** Unit, its length in seconds, and from how many seconds on it is used. */
const units = [
  ['year', 31_536_000, 31_536_000],
  ['month', 2_592_000, 5_184_000],
  ['day', 86_400, 86_400],
  ['hour', 3600, 3600],
  ['minute', 60, 60],
] as const;

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
