// When a certificate is ordered: a third before its end, and after a failure never in a hot loop.
import { describe, expect, test } from 'vitest';
import { dueOf, nextAttempt, renewAt } from '../../src/platform/certificates/renewal.ts';

const DIRECTORY = 'https://ca.example/directory';
const known = {
  directory: DIRECTORY,
  chain: 'PEM',
  beginsAt: '2026-01-01T00:00:00.000Z',
  endsAt: '2026-04-01T00:00:00.000Z',
  nextAttemptAt: null,
};

describe('a certificate', () => {
  test.each([
    ['of ninety days', '2026-04-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
    ['of six days', '2026-01-07T00:00:00.000Z', '2026-01-05T00:00:00.000Z'],
    ['of an hour', '2026-01-01T01:00:00.000Z', '2026-01-01T00:40:00.000Z'],
  ])('%s is renewed when a third of its life is left', (_what, endsAt, at) => {
    expect(renewAt({ ...known, endsAt })).toBe(at);
    const before = new Date(Date.parse(at) - 1).toISOString();
    expect(dueOf({ ...known, endsAt }, DIRECTORY, before)).toBe('nothing');
    expect(dueOf({ ...known, endsAt }, DIRECTORY, at)).toBe('order');
  });

  test('that is missing, or of another authority, is ordered at once', () => {
    const now = '2026-01-02T00:00:00.000Z';
    expect(dueOf(null, DIRECTORY, now)).toBe('order');
    expect(dueOf({ ...known, chain: null }, DIRECTORY, now)).toBe('order');
    expect(dueOf(known, 'https://other.example/directory', now)).toBe('order');
    const waits = { ...known, nextAttemptAt: '2026-02-01T00:00:00.000Z' };
    expect(dueOf(waits, 'https://other.example/directory', now)).toBe('order');
    expect(dueOf({ ...waits, chain: null }, DIRECTORY, now)).toBe('later');
  });
});

test('of the authority of another server is kept, and nobody orders in turn', () => {
  const now = '2026-01-02T00:00:00.000Z';
  const other = 'https://other.example/directory';
  expect(dueOf(known, other, now, [DIRECTORY])).toBe('others');
  expect(dueOf({ ...known, endsAt: now }, other, now, [DIRECTORY])).toBe('others');
  expect(dueOf(known, other, now, [other])).toBe('order');
  expect(dueOf(known, DIRECTORY, now, [other])).toBe('nothing');
  expect(dueOf({ ...known, endsAt: now }, DIRECTORY, now, [other])).toBe('order');
  expect(dueOf(null, other, now, [DIRECTORY])).toBe('order');
});

describe('after a failure', () => {
  const now = '2026-01-01T00:00:00.000Z';
  const minutes = (failures: number, isLimited = false) =>
    (Date.parse(nextAttempt(failures, now, isLimited)) - Date.parse(now)) / 60_000;

  test('each pause is longer than the one before, up to a day', () => {
    const pauses = Array.from({ length: 12 }, (_, i) => minutes(i + 1));
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect([pauses[0], pauses.at(-1)]).toEqual([2, 1440]);
  });

  test('an hour sees at most the five failures that authorities allow', () => {
    let [at, failures] = [0, 0];
    while (at < 60) {
      failures += 1;
      at += minutes(failures);
    }
    expect(failures).toBeLessThanOrEqual(5);
  });

  test('who was asked too often is left alone for hours', () => {
    expect([minutes(1, true), minutes(8, true)]).toEqual([360, 1440]);
  });
});
