import { isoTime } from '../clock.ts';
import { AppError } from '../errors.ts';

/** When an operator wants a job to run: a cron expression of five fields, in the zone of `jobs.timezone`. */
export interface Schedule {
  /** `MINUTE HOUR DAY MONTH WEEKDAY`. */
  readonly expression: string;
  /** IANA name. */
  readonly timeZone: string;
}

const MINUTE_MS = 60_000;
const MINUTES_PER_HOUR = 60;
/** A 29 February is at most eight years away. */
const FARTHEST_MS = 8 * 366 * 24 * MINUTES_PER_HOUR * MINUTE_MS + MINUTE_MS;
const FIELDS = 5;

/** Loaded by the first schedule: a program without one does without the library. */
const load = () => import('node-cron');

/**
 * The next time of a schedule. node-cron reads the expression and judges the day; the walk is ours, since its own looks
 * at the clock of the machine and its timers stop firing when that is set back (M20).
 *
 * @param after ISO 8601 UTC; the answer is later
 * @returns ISO 8601 UTC
 * @throws AppError VALIDATION_ERROR for an expression that cannot be read or never comes true
 */
export async function nextRun({ expression, timeZone }: Schedule, after: string): Promise<string> {
  const daily = /^(\d{1,2}) (\d{1,2}) \* \* \*$/.exec(expression);
  if (daily && Number(daily[1]) < MINUTES_PER_HOUR && Number(daily[2]) < 24)
    return nextDaily({ minute: Number(daily[1]), hour: Number(daily[2]) }, timeZone, after);
  const { createTask } = await load();
  const wanted = await readExpression(expression);
  const task = createTask(expression, () => undefined, { timezone: timeZone });
  const local = localTime(timeZone);
  try {
    const from = Math.floor(Date.parse(after) / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
    for (let at = from; at < from + FARTHEST_MS; ) {
      const { month, hour, minute } = local(at);
      const isHour = wanted.month.includes(month) && wanted.hour.includes(hour);
      if (isHour && wanted.minute.includes(minute)) {
        if (task.match(new Date(at))) return isoTime(at);
        at += (MINUTES_PER_HOUR - minute) * MINUTE_MS;
      } else at += isHour ? MINUTE_MS : (MINUTES_PER_HOUR - minute) * MINUTE_MS;
    }
  } finally {
    await task.destroy();
  }
  throw invalid(expression, 'it never matches a time');
}

/** Once a day, which needs no library: a server that has only such a schedule does without it. */
function nextDaily(wanted: { hour: number; minute: number }, timeZone: string, after: string): string {
  const local = localTime(timeZone);
  let at = Math.floor(Date.parse(after) / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  for (;;) {
    const { hour, minute } = local(at);
    if (hour === wanted.hour && minute === wanted.minute) return isoTime(at);
    at +=
      hour === wanted.hour && minute < wanted.minute ? MINUTE_MS : (MINUTES_PER_HOUR - minute) * MINUTE_MS;
  }
}

/** @throws AppError VALIDATION_ERROR with what is wrong in which field */
async function readExpression(expression: string) {
  requireBounds(expression);
  const { validateDetailed } = await load();
  const { fields, errors } = validateDetailed(expression);
  const [first] = errors;
  if (first) throw invalid(expression, `${first.field}: ${first.message}`);
  if (!fields || expression.trim().split(/\s+/).length !== FIELDS) {
    throw invalid(expression, 'it needs five fields: minute, hour, day, month, weekday');
  }
  return fields;
}

const BOUNDS = [
  ['minute', 0, 59],
  ['hour', 0, 23],
  ['day', 1, 31],
  ['month', 1, 12],
  ['weekday', 0, 7],
] as const;

/** The library writes out a range before it looks at its ends: one of a billion numbers would take all memory. */
function requireBounds(expression: string): void {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== FIELDS) return;
  for (const [i, [name, least, most]] of BOUNDS.entries()) {
    const numbers = (parts[i] ?? '').replace(/\/\d+/g, '').match(/\d+/g) ?? [];
    const outside = numbers.find((digits) => Number(digits) < least || Number(digits) > most);
    if (outside === undefined) continue;
    throw invalid(expression, `${name} must be ${least} to ${most}, not ${outside}`);
  }
}

const invalid = (expression: string, why: string): AppError =>
  new AppError('VALIDATION_ERROR', 400, `"${expression}" is not a valid schedule: ${why}`, {
    details: { hint: 'write it as "30 3 * * *" (every day at 3:30) or "0 4 * * 0" (Sundays at 4:00)' },
  });

/** Reads month, hour and minute of an instant as the clocks of a zone show them. */
function localTime(timeZone: string): (at: number) => { month: number; hour: number; minute: number } {
  // A formatter reads the tables of zones for 30 ms, which a server that keeps the default would wait for.
  if (timeZone === 'UTC') return utcTime;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    month: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    return {
      month: parts.get('month') ?? 0,
      hour: parts.get('hour') ?? 0,
      minute: parts.get('minute') ?? 0,
    };
  };
}

function utcTime(at: number): { month: number; hour: number; minute: number } {
  const time = new Date(at);
  return { month: time.getUTCMonth() + 1, hour: time.getUTCHours(), minute: time.getUTCMinutes() };
}
