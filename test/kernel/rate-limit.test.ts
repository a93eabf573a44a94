import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Clock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { createCredentialFailures } from '#kernel/http/credential-failures.ts';
import { createSharedFailures } from '#kernel/http/credential-failures-shared.ts';
import type { RateLimit } from '#kernel/http/rate-limit.ts';
import { createRateLimiters, memoryLimiter } from '#kernel/http/rate-limiters.ts';
import { logTo } from '#kernel/log.ts';
import { forgetLimitsFile, recallLimits, rememberLimits } from '../../src/app/limit-memory.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const read: RateLimit = { bucket: 'read', max: 3, windowSeconds: 900, by: 'ip' };
const failures: RateLimit = { bucket: 'failures', max: 2, windowSeconds: 900, by: 'ip' };
const address = '203.0.113.7';

/** The limiter library reads the real clock, so these clocks differ from it by a fixed step only. */
const clockAhead = (seconds: number): Clock => ({
  epochMs: () => Date.now() + seconds * 1000,
  monotonicMs: () => performance.now(),
});

function counters(clock: Clock = clockAhead(0)) {
  const limiters = createRateLimiters(memoryLimiter, clock);
  return { limiters, failures: createCredentialFailures(clock, (text) => `digest of ${text}`) };
}

describe('one process', () => {
  test('a bucket admits exactly what it holds, each key for itself', async () => {
    const { limiters } = counters();
    const verdicts = await Promise.all(Array.from({ length: 5 }, () => limiters.take(read, address)));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false]);
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0]);
    for (const { limit, resetSeconds } of verdicts) expect([limit, resetSeconds]).toEqual([3, 900]);
    expect(await limiters.take(read, '203.0.113.8')).toMatchObject({ allowed: true, remaining: 2 });
  });

  test('in a store that goes by it, a wall clock that was set back keeps nobody out until the time comes again', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const limiters = createRateLimiters(
        ({ max, windowSeconds }) => new RateLimiterMemory({ points: max, duration: windowSeconds }),
        clockAhead(0),
      );
      const takeAll = () => Promise.all(Array.from({ length: 4 }, () => limiters.take(read, address)));
      await takeAll();
      // As far as clocks of two servers may differ.
      vi.setSystemTime(Date.now() - 60_000);
      expect(await limiters.take(read, address)).toMatchObject({ allowed: false, resetSeconds: 900 });
      vi.setSystemTime(Date.now() - 1);
      expect((await takeAll()).map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([
    ['in memory', () => createCredentialFailures(clockAhead(0), (text) => text)],
    [
      'in a shared store',
      () =>
        createSharedFailures(clockAhead(0), (text) => text, createRateLimiters(memoryLimiter, clockAhead(0))),
    ],
  ])('distinct unknown credentials count %s, also when they come together', async (_name, make) => {
    const counted = make();
    const tries = ['a', 'b', 'a', 'c', 'd'].map((text) => counted.count(address, text, failures));
    const waits = await Promise.all(tries);
    expect(waits.map((seconds) => seconds > 0)).toEqual([false, false, false, true, true]);
    expect(counted.blockedSeconds(address, failures)).toBeGreaterThan(0);
    expect(counted.blockedSeconds('203.0.113.8', failures)).toBe(0);
  });
});

describe('a graceful restart', () => {
  const log = logTo({ write: () => undefined }, 'silent');
  let folder: string;
  let config: Config;
  let file: string;

  beforeEach(() => {
    folder = scratchFolder('appctl-limits-');
    config = { dataDir: folder } as Config;
    mkdirSync(join(folder, 'run'));
    file = join(folder, 'run/limits.json');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Spends two points and one guess, and leaves them to the next process. */
  async function leave(): Promise<void> {
    const before = counters();
    await before.limiters.take(read, address);
    await before.limiters.take(read, address);
    await before.failures.count(address, 'a', failures);
    rememberLimits(config, before, log);
  }

  test('goes on where the last process was', async () => {
    await leave();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('digest of a');
    const after = counters();
    recallLimits(config, after, log);
    forgetLimitsFile(config);
    expect(readdirSync(join(folder, 'run'))).toEqual([]);
    expect(await after.limiters.take(read, address)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await after.limiters.take(read, address)).toMatchObject({ allowed: false });
    expect(await after.failures.count(address, 'a', failures)).toBe(0);
    expect(await after.failures.count(address, 'b', failures)).toBe(0);
    expect(await after.failures.count(address, 'c', failures)).toBeGreaterThan(0);
  });

  test('after the end of a window begins a new one', async () => {
    await leave();
    const after = counters(clockAhead(901));
    recallLimits(config, after, log);
    expect(await after.limiters.take(read, address)).toMatchObject({ remaining: 2 });
    expect(after.failures.openWindows()).toEqual([]);
  });

  test('a wall clock that was set back makes no window longer than it is', async () => {
    await leave();
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replaceAll(/"endsMs":(\d+)[\d.]*/g, (_, ms) => `"endsMs":${Number(ms) + 86_400_000}`),
    );
    const after = counters();
    recallLimits(config, after, log);
    const windows = [
      ...after.limiters.openBuckets().flatMap((bucket) => bucket.windows),
      ...after.failures.openWindows(),
    ];
    expect(windows).toHaveLength(2);
    for (const { endsMs } of windows) expect(endsMs).toBeLessThanOrEqual(Date.now() + 900_000);
  });

  test('a server that counted nothing leaves no file', () => {
    rememberLimits(config, counters(), log);
    expect(readdirSync(join(folder, 'run'))).toEqual([]);
  });

  test.each(['', 'null', '{"buckets":[{"rule":{}}],"guesses":[]}', '{"buckets":'])(
    'a file that holds %s is as good as none',
    async (text) => {
      writeFileSync(file, text);
      const after = counters();
      recallLimits(config, after, log);
      expect(after.limiters.openBuckets()).toEqual([]);
      expect(await after.limiters.take(read, address)).toMatchObject({ remaining: 2 });
    },
  );

  test('a disk that takes no file does not hold up the end', async () => {
    const before = counters();
    await before.limiters.take(read, address);
    rmSync(join(folder, 'run'), { recursive: true });
    rememberLimits(config, before, log);
    expect(existsSync(join(folder, 'run'))).toBe(false);
    expect(before.limiters.openBuckets()).toHaveLength(1);
  });
});
