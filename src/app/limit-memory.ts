import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '#kernel/config/config.ts';
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
          by: z.enum(['ip', 'credential', 'account', 'session', 'email']),
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

const fileOf = (config: Config): string => join(config.dataDir, 'run', 'limits.json');

/**
 * Writes the open windows of a server that ends in order, so that a restart forgets nothing (reliability M18).
 * A disk that takes no file loses the windows and does not hold up the end.
 */
export function rememberLimits(config: Config, { limiters, failures }: Counted, log: Log): void {
  const open = { buckets: limiters.openBuckets(), guesses: failures.openWindows() };
  if (open.buckets.length === 0 && open.guesses.length === 0) return;
  try {
    writePrivateFile(fileOf(config), JSON.stringify(open));
  } catch (error) {
    log.warn({ err: error }, 'open rate limit windows could not be kept for the next start');
  }
}

/** Goes on with the windows that the last server left; a file that cannot be understood is as good as none. */
export function recallLimits(config: Config, { limiters, failures }: Counted, log: Log): void {
  try {
    const { buckets, guesses } = RememberedLimits.parse(JSON.parse(readFileSync(fileOf(config), 'utf8')));
    limiters.reopen(buckets);
    failures.reopen(guesses);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    log.warn({ err: error }, 'rate limit windows of the last server could not be read');
  }
}

/** Takes the file away: a server that is killed later must not bring back windows of long ago. */
export const forgetLimitsFile = (config: Config): void => rmSync(fileOf(config), { force: true });
