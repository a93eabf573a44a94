// What rate limits keep in memory: windows that have ended leave it, without a timer for each (R11).
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LiveKeys } from '#kernel/http/live-keys.ts';
import { MemoryWindows } from '#kernel/http/rate-limit-memory.ts';

describe('LiveKeys', () => {
  test('counts windows until the minute in which they end is over', () => {
    let now = 0;
    const keys = new LiveKeys({ monotonicMs: () => now });
    keys.add(60_000);
    keys.add(900_000);
    keys.add(1);
    expect(keys.count).toBe(3);
    now = 60_000;
    expect(keys.count).toBe(1);
    now = 899_999;
    expect(keys.count).toBe(1);
    now = 900_000;
    expect(keys.count).toBe(0);
    keys.add(60_000);
    expect(keys.count).toBe(1);
  });
});

describe('MemoryWindows', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    vi.setSystemTime(new Date('2026-03-01T12:00:00.000Z'));
  });
  afterEach(() => vi.useRealTimers());

  const rule = { bucket: 'read', max: 2, windowSeconds: 60, by: 'ip' } as const;
  const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1000);
  const setBack = (seconds: number) => vi.setSystemTime(Date.now() - seconds * 1000);

  test('a full window refuses until its end, and the next one is whole', async () => {
    const windows = new MemoryWindows(rule);
    expect(await windows.consume('a')).toMatchObject({ remainingPoints: 1, msBeforeNext: 60_000 });
    pass(59);
    expect(await windows.consume('a')).toMatchObject({ remainingPoints: 0, msBeforeNext: 1000 });
    await expect(windows.consume('a')).rejects.toMatchObject({ remainingPoints: 0, consumedPoints: 3 });
    pass(1);
    expect(await windows.consume('a')).toMatchObject({ remainingPoints: 1, isFirstInDuration: true });
  });

  test('windows that have ended leave while others open', async () => {
    const windows = new MemoryWindows(rule);
    for (let n = 0; n < 100; n++) await windows.consume(`old-${n}`);
    pass(30);
    await windows.consume('young');
    pass(30);
    for (let n = 0; n < 60; n++) await windows.consume(`new-${n}`);
    expect(windows.size).toBe(61);
  });

  test('they leave as soon when the wall clock was set back, and no full one keeps its client out', async () => {
    const windows = new MemoryWindows(rule);
    for (let n = 0; n < 3; n++) await windows.consume('full').catch(() => undefined);
    for (let n = 0; n < 99; n++) await windows.consume(`old-${n}`);
    setBack(86_400);
    pass(60);
    expect(await windows.consume('full')).toMatchObject({ remainingPoints: 1, msBeforeNext: 60_000 });
    for (let n = 0; n < 60; n++) await windows.consume(`new-${n}`);
    expect(windows.size).toBe(61);
    const [kept] = windows.dump();
    expect(kept).toEqual({ key: 'full', points: 1, endsMs: Date.now() + 60_000 });
  });

  test('restored windows leave in the order of their ends', async () => {
    const windows = new MemoryWindows(rule);
    const endsMs = (seconds: number) => Date.now() + seconds * 1000;
    windows.restore([
      { key: 'late', points: 2, endsMs: endsMs(50) },
      { key: 'early', points: 1, endsMs: endsMs(10) },
    ]);
    await expect(windows.consume('late')).rejects.toMatchObject({ msBeforeNext: 50_000 });
    pass(20);
    await windows.consume('other');
    expect(windows.size).toBe(2);
    expect(windows.dump().map(({ key }) => key)).toEqual(['late', 'other']);
  });
});
