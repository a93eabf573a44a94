import { addSeconds } from '#kernel/clock.ts';
import { usageError } from './frame/errors.ts';
import { parseDuration, parseTime } from './frame/values.ts';

/**
 * A time in the past, as a distance (30d, 12h) or as itself.
 *
 * @param flag named in the error
 * @param now ISO 8601 UTC
 * @returns ISO 8601 UTC with milliseconds
 * @throws usage error (2)
 */
export function parseSince(flag: string, text: string, now: string): string {
  const seconds = parseDuration(text);
  // A distance that leads to before 1970 is a slip of the finger, and far enough it leads to no date at all.
  if (seconds !== undefined && seconds * 1000 <= Date.parse(now)) return addSeconds(now, -seconds);
  if (/^\d+[a-z]+$/i.test(text))
    throw usageError(`${flag} '${text}' is no time`, `write ${flag} 30d, 12h or 90s`);
  return parseTime(flag, text);
}
