import { durationText } from '#kernel/clock.ts';
import { LONGEST_WINDOW_SECONDS, MOST_REQUESTS, type OwnLimit, UNLIMITED } from '#kernel/http/rate-limit.ts';
import type { ApiKey } from '#platform/api-keys/index.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { parseDuration } from '../frame/values.ts';

/** Limits by bucket as `--limit` changes them; null takes a key's own one away. */
export type LimitChanges = Record<string, OwnLimit | null>;

const SHAPE = /^(\w+)=(?:(\d{1,10})\/(\d+[smhdw])|(none|default))$/;
const HINT = 'write --limit write=600/15m, --limit write=none or --limit write=default';

/**
 * What the options `--limit` ask for.
 *
 * @returns undefined when none was given
 * @throws usage error (2) for a bucket that API keys have no limit of, a number or a window out of range
 */
export async function limitsAsked(cli: Cli): Promise<LimitChanges | undefined> {
  const given = cli.list('limit');
  if (given.length === 0) return undefined;
  const { bucketNames } = await import('#licensing/index.ts');
  const changes: LimitChanges = {};
  for (const text of given) {
    const [bucket = '', limit] = parseLimit(text);
    checkBucket(bucket, bucketNames);
    if (Object.hasOwn(changes, bucket)) throw usageError(`--limit names ${bucket} more than once`);
    changes[bucket] = limit;
  }
  return changes;
}

function parseLimit(text: string): [bucket: string, limit: OwnLimit | null] {
  const [, bucket = '', max, window, word] = SHAPE.exec(text) ?? [];
  if (bucket === '') throw usageError(`--limit '${text}' is not a limit`, HINT);
  if (word === 'default') return [bucket, null];
  if (word === 'none') return [bucket, { max: UNLIMITED, windowSeconds: LONGEST_WINDOW_SECONDS }];
  const windowSeconds = parseDuration(window ?? '') ?? 0;
  if (Number(max) < 1 || Number(max) > MOST_REQUESTS) {
    throw usageError(
      `--limit '${text}' is out of range`,
      `1 to ${MOST_REQUESTS} requests; none removes the limit`,
    );
  }
  if (windowSeconds < 1 || windowSeconds > LONGEST_WINDOW_SECONDS) {
    throw usageError(`--limit '${text}' is out of range`, 'the window must be 1s to 1d');
  }
  return [bucket, { max: Number(max), windowSeconds }];
}

function checkBucket(
  bucket: string,
  names: Readonly<Record<'byKey' | 'byAddress', readonly string[]>>,
): void {
  if (names.byKey.includes(bucket)) return;
  if (names.byAddress.includes(bucket)) {
    throw usageError(
      `--limit: "${bucket}" is counted per address, not per API key`,
      `appctl settings set licensing.limits.${bucket}.max 600`,
    );
  }
  throw usageError(
    `--limit: unknown limit "${bucket}"`,
    `API keys have these limits: ${names.byKey.join(', ')}`,
  );
}

/** As `--limit` takes them: `write=600/15m, heartbeat=none`. */
export const limitsText = (limits: ApiKey['limits']): string =>
  Object.entries(limits ?? {})
    .map(([bucket, { max, windowSeconds }]) =>
      max === UNLIMITED ? `${bucket}=none` : `${bucket}=${max}/${durationText(windowSeconds)}`,
    )
    .join(', ');
