/** The one source of time. Tests hold a clock that they advance. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. */
  epochMs(): number;
  /** Never steps: for durations and time-outs, milliseconds. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  epochMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** The last instant whose text is as long as that of every other. */
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The one stored and printed form of a time: ISO 8601 UTC with milliseconds. Times are compared as text, and a year of
 * five digits would come before all others: what is later than the year 9999 is its last instant (M20).
 */
export const isoTime = (epochMs: number): string => new Date(Math.min(epochMs, LATEST_MS)).toISOString();

/** isoTime for a reader who asks many times within one millisecond, as the parts of one request do. */
export function isoClock(clock: Clock): () => string {
  let latestMs = Number.NaN;
  let text = '';
  return () => {
    const nowMs = clock.epochMs();
    if (nowMs !== latestMs) {
      latestMs = nowMs;
      text = isoTime(nowMs);
    }
    return text;
  };
}

/** A time `seconds` after an ISO time, in the same form. */
export const addSeconds = (iso: string, seconds: number): string => isoTime(Date.parse(iso) + seconds * 1000);

/** Whether a clock cannot be right: before 1970 no id can be made, and nothing that needs one can be written. */
export const isBeforeEpoch = (epochMs: number): boolean => epochMs < 0;

/** Clocks of several machines differ a little. */
const MOST_AHEAD_MS = 3_600_000;

/** Whether what has happened cannot be of the moment that it names: a clock was wrong, or somebody made it up. */
export const isFarAhead = (iso: string, nowMs: number): boolean => Date.parse(iso) - nowMs > MOST_AHEAD_MS;

export const SECONDS_PER_DAY = 86_400;

/** Resolves after `ms` milliseconds without keeping the process alive longer than it needs. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const UNITS = [
  ['d', SECONDS_PER_DAY],
  ['h', 3600],
  ['m', 60],
] as const;

/** Whole seconds as options take them: `15m`, `90s`. */
export function durationText(seconds: number): string {
  const [unit, length] = UNITS.find(([, length]) => seconds % length === 0) ?? ['s', 1];
  return `${seconds / length}${unit}`;
}
