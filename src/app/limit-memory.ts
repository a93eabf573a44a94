import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '#kernel/config/config.ts';
import type { GuessWindow } from '#kernel/http/credential-failures.ts';
import type { OpenBucket } from '#kernel/http/rate-limiters.ts';
import type { HttpRuntime } from '#kernel/http/runtime.ts';
import type { Log } from '#kernel/log.ts';
import { writePrivateFile } from '#kernel/private-files.ts';
import { later } from '#kernel/sharing.ts';

const Count = z.int().min(0);
const EndsMs = z.number();

/** What `{data_dir}/run/limits.json` holds between two processes (reliability M18). */
const RememberedLimits = later(() =>
  z.object({
    buckets: z.array(
      z.object({
        rule: z.object({
          bucket: z.string(),
          max: Count,
          windowSeconds: z.int().min(1),
          by: z.enum(['ip', 'credential', 'account', 'customer', 'session', 'email']),
        }),
        windows: z.array(z.object({ key: z.string(), points: Count, endsMs: EndsMs })),
      }),
    ),
    guesses: z.array(
      z.object({
        address: z.string(),
        digests: z.array(z.string()),
        windowSeconds: z.int().min(1),
        endsMs: EndsMs,
      }),
    ),
  }),
);

type Counted = Pick<HttpRuntime, 'limiters' | 'failures'>;

/** Open windows, as one process passes them on to the next. */
export interface Remembered {
  readonly buckets: readonly OpenBucket[];
  readonly guesses: readonly GuessWindow[];
}

const fileOf = (config: Config): string => join(config.dataDir, 'run', 'limits.json');

/** What is counted now in the memory of this process. */
export const openLimits = ({ limiters, failures }: Counted): Remembered => ({
  buckets: limiters.openBuckets(),
  guesses: failures.openWindows(),
});

/**
 * Writes the open windows of a server that ends in order, so that a restart forgets nothing (reliability M18).
 * A disk that takes no file loses the windows and does not hold up the end.
 */
export function rememberLimits(config: Config, counted: Counted, log: Log): void {
  const open = openLimits(counted);
  if (open.buckets.length === 0 && open.guesses.length === 0) return;
  try {
    writePrivateFile(fileOf(config), JSON.stringify(open));
  } catch (error) {
    log.warn({ err: error }, 'open rate limit windows could not be kept for the next start');
  }
}

/** Goes on with the windows that the last server left; a file that cannot be understood is as good as none. */
export function recallLimits(config: Config, { limiters, failures }: Counted, log: Log): void {
  const open = readLimits(config, log);
  if (open === null) return;
  limiters.reopen(open.buckets);
  failures.reopen(open.guesses);
}

/**
 * Goes on with the windows of a server that still serves: what it counts from now on is added when it has ended.
 *
 * @param told what it has counted so far, or null for one that does not tell
 */
function continueLimits({ limiters, failures }: Counted, told: unknown): Remembered | null {
  const { success, data } = RememberedLimits.safeParse(told);
  if (!success) return null;
  limiters.reopen(data.buckets);
  failures.reopen(data.guesses);
  return data;
}

/**
 * Adds what the predecessor counted after it told its windows: each request counts once.
 *
 * @param told what was taken over from it already
 */
function absorbLimits(
  config: Config,
  { limiters, failures }: Counted,
  told: Remembered | null,
  log: Log,
): void {
  const left = readLimits(config, log);
  if (left === null) return;
  limiters.absorb(told === null ? left.buckets : left.buckets.map((bucket) => sinceThen(bucket, told)));
  failures.absorb(left.guesses);
}

/** Times of one window may differ by this much: each process adds its own clock to a monotonic one. */
const SAME_WINDOW_MS = 1000;

function sinceThen({ rule, windows }: OpenBucket, told: Remembered): OpenBucket {
  const isSame = (one: OpenBucket['rule']) =>
    one.bucket === rule.bucket && one.max === rule.max && one.windowSeconds === rule.windowSeconds;
  const before = new Map(
    told.buckets.find((one) => isSame(one.rule))?.windows.map((window) => [window.key, window]),
  );
  const rest = windows.map((window) => {
    const known = before.get(window.key);
    const isKnown = known !== undefined && Math.abs(known.endsMs - window.endsMs) < SAME_WINDOW_MS;
    return { ...window, points: window.points - (isKnown ? known.points : 0) };
  });
  return { rule, windows: rest.filter(({ points }) => points > 0) };
}

function readLimits(config: Config, log: Log): Remembered | null {
  try {
    return RememberedLimits.parse(JSON.parse(readFileSync(fileOf(config), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.warn({ err: error }, 'rate limit windows of the last server could not be read');
    return null;
  }
}

/** Takes the file away: a server that is killed later must not bring back windows of long ago. */
export const forgetLimitsFile = (config: Config): void => rmSync(fileOf(config), { force: true });

/** The windows of one server over its life: what it finds, and what it leaves. */
export interface CountedLimits {
  /** It listens: what the last server left is of no more use. */
  begin(): void;
  /** The server before it has ended. */
  lead(): void;
  /** It ends itself. */
  end(): void;
}

/**
 * Goes on with the windows of the server before.
 *
 * @param rest.follows that server still serves, and this is what it told of its windows
 */
export function countedLimits(
  config: Config,
  counted: Counted,
  { log, follows }: { log: Log; follows: { readonly told: unknown } | undefined },
): CountedLimits {
  const told = follows === undefined ? null : continueLimits(counted, follows.told);
  let leads = follows === undefined;
  if (leads) recallLimits(config, counted, log);
  return {
    begin() {
      if (leads) forgetLimitsFile(config);
    },
    lead() {
      if (leads) return;
      leads = true;
      absorbLimits(config, counted, told, log);
      forgetLimitsFile(config);
    },
    end() {
      if (leads) rememberLimits(config, counted, log);
    },
  };
}
