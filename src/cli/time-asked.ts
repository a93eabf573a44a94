import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import { localSecond, zoneName } from '#kernel/local-time.ts';
import type { Cli } from './frame/context.ts';
import { usageError } from './frame/errors.ts';
import { type DayEdge, isDay, parseTime } from './frame/times.ts';
import { parseDuration } from './frame/values.ts';

const DISTANCE = /^\d+[a-z]+$/i;

/**
 * The point in time that an option names; how a date without a time was read is said on stderr.
 *
 * @param edge of the day, for a date without a time
 * @returns ISO 8601 UTC with milliseconds; undefined when the option was not given
 * @throws usage error (2)
 */
export function timeAsked(cli: Cli, option: string, edge: DayEdge): string | undefined {
  const text = cli.option(option);
  return text === undefined ? undefined : readTime(cli, `--${option}`, text, edge);
}

/** As timeAsked, for a text that is a part of a value. */
export function readTime(cli: Cli, flag: string, text: string, edge: DayEdge): string {
  const iso = parseTime(flag, text, edge);
  if (isDay(text) && !cli.json) cli.note(`${flag} ${text} is read as ${reading(iso)}`);
  return iso;
}

/** A moment as it was understood: `2027-01-31 23:59:59 +01:00 (Europe/Berlin)`. */
function reading(iso: string): string {
  const time = localSecond(new Date(iso));
  const zone = zoneName();
  return time.endsWith(` ${zone}`) ? time : `${time} (${zone})`;
}

/**
 * A time in the past, as a distance (30d, 12h) or as itself.
 *
 * @param now ISO 8601 UTC
 * @param edge of the day, for a date without a time: `start` for what is looked at from then on
 * @returns as timeAsked
 * @throws usage error (2)
 */
export function pastAsked(cli: Cli, option: string, now: string, edge: DayEdge): string | undefined {
  const text = cli.option(option);
  const seconds = parseDuration(text ?? '');
  // A distance that leads to before 1970 is a slip of the finger, and far enough it leads to no date at all.
  if (seconds !== undefined && seconds * 1000 <= Date.parse(now)) return addSeconds(now, -seconds);
  if (text !== undefined && DISTANCE.test(text)) throw notATime(option, text, '30d, 12h or 90s');
  return timeAsked(cli, option, edge);
}

/**
 * The end that `--expires` asks for, as a distance (90d) or as a time in the future.
 *
 * @param now ISO 8601 UTC
 * @returns as timeAsked
 * @throws usage error (2) for no time at all, a past one, or more than a hundred years
 */
export function expiryAsked(cli: Cli, now: string): string | undefined {
  const text = cli.option('expires');
  if (text === undefined) return undefined;
  const seconds = parseDuration(text);
  if (seconds === undefined && DISTANCE.test(text)) throw notATime('expires', text, '90d or 2027-01-31');
  const end =
    seconds === undefined
      ? readTime(cli, '--expires', text, 'end')
      : addSeconds(now, Math.min(seconds, BEYOND));
  const distance = Date.parse(end) - Date.parse(now);
  if (distance > 0 && distance <= LONGEST * 1000) return end;
  throw usageError(
    `--expires '${text}' is out of range`,
    'write --expires 90d, or a date of the next hundred years',
  );
}

const LONGEST = 36_525 * SECONDS_PER_DAY;
const BEYOND = LONGEST + 1;

const notATime = (option: string, text: string, examples: string) =>
  usageError(`--${option} '${text}' is not a valid time`, `write --${option} ${examples}`);
