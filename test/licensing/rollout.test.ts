// Staged rollout: how far a release reaches, and whom (licensing 6.4).
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { AppError } from '#kernel/errors.ts';
import { effectiveBps, inRollout, type Rollout, toBps } from '#licensing/releases/releases/index.ts';
import { moved } from '#licensing/releases/releases/rollout-change.ts';

const now = '2026-03-01T12:00:00.000Z';
const before = '2026-03-01T11:59:59.999Z';
const after = '2026-03-01T12:00:00.001Z';
const some: Rollout = { bps: 1000, paused: false, schedule: [] };

describe('effective percent', () => {
  test.each<[string, Rollout, number]>([
    ['without a schedule what was set', some, 1000],
    ['a step counts at its very time', { ...some, schedule: [{ at: now, percent: 50 }] }, 5000],
    ['and not a millisecond before', { ...some, schedule: [{ at: after, percent: 50 }] }, 1000],
    [
      'the last step that has come',
      {
        ...some,
        schedule: [
          { at: before, percent: 20 },
          { at: now, percent: 30.25 },
          { at: after, percent: 100 },
        ],
      },
      3025,
    ],
    ['never less than what was set', { ...some, schedule: [{ at: before, percent: 5 }] }, 1000],
    ['paused: what was set', { ...some, paused: true, schedule: [{ at: before, percent: 50 }] }, 1000],
  ])('%s', (_name, rollout, expected) => expect(effectiveBps(rollout, now)).toBe(expected));

  test('percents become basis points without a trace of binary fractions', () => {
    expect([0, 0.01, 0.29, 33.33, 57.07, 99.99, 100].map(toBps)).toEqual([
      0, 1, 29, 3333, 5707, 9999, 10_000,
    ]);
  });
});

describe('whom it reaches', () => {
  const machines = Array.from({ length: 2000 }, (_, n) => `machine-${n}`);
  const reached = (id: string, bps: number) => machines.filter((machine) => inRollout(id, machine, bps));

  test('0 nobody, 100 everybody', () => {
    expect(reached('rel_a', 0)).toEqual([]);
    expect(reached('rel_a', 10_000)).toEqual(machines);
  });

  test('raising the percent never removes anyone, and the parts are about as large as they say', () => {
    const ten = reached('rel_a', 1000);
    const half = reached('rel_a', 5000);
    expect(half).toEqual(expect.arrayContaining(ten));
    expect(ten.length / machines.length).toBeCloseTo(0.1, 1);
    expect(half.length / machines.length).toBeCloseTo(0.5, 1);
  });

  test('each release draws its own order, by the first 32 bits of SHA-256(id:subject)', () => {
    expect(reached('rel_a', 1000)).not.toEqual(reached('rel_b', 1000));
    const place = createHash('sha256').update('rel_a:m').digest().readUInt32BE(0) / 2 ** 32;
    const bps = Math.floor(place * 10_000);
    expect([inRollout('rel_a', 'm', bps), inRollout('rel_a', 'm', bps + 1)]).toEqual([false, true]);
  });
});

describe('a change', () => {
  const scheduled: Rollout = {
    ...some,
    schedule: [
      { at: before, percent: 40 },
      { at: after, percent: 100 },
    ],
  };

  test('pausing keeps what was reached, resuming goes on with the schedule', () => {
    const paused = moved(scheduled, { paused: true }, now);
    expect(paused).toEqual({ ...scheduled, bps: 4000, paused: true });
    expect(effectiveBps(paused, after)).toBe(4000);
    expect(effectiveBps(moved(paused, { paused: false }, after), after)).toBe(10_000);
    expect(moved(paused, { paused: true }, after)).toEqual(paused);
  });

  test('a percent by hand ends the schedule, so that 0 stops it for good', () => {
    expect(moved(scheduled, { percent: 0 }, now)).toEqual({ bps: 0, paused: false, schedule: [] });
  });

  test('a schedule with a percent to begin with', () => {
    const schedule = [{ at: after, percent: 100 }];
    expect(moved(scheduled, { percent: 1, schedule }, now)).toEqual({ bps: 100, paused: false, schedule });
    expect(moved(scheduled, { schedule }, now)).toEqual({ bps: 1000, paused: false, schedule });
  });

  test('a schedule for what reaches everybody already could change nothing', () => {
    const full: Rollout = { bps: 10_000, paused: false, schedule: [] };
    expect(() => moved(full, { schedule: [{ at: after, percent: 50 }] }, now)).toThrow(AppError);
    expect(moved(full, { schedule: [] }, now)).toEqual(full);
  });
});
