// Times that people write and read: local time, and the zone stands beside it.
import { afterEach, describe, expect, test } from 'vitest';
import { prettyLine } from '#kernel/log-pretty.ts';
import { relativeTime } from '#kernel/time-words.ts';
import { CliError } from '../../src/cli/frame/errors.ts';
import { humanTime, parseTime } from '../../src/cli/frame/times.ts';

const home = process.env.TZ;
afterEach(() => {
  if (home === undefined) delete process.env.TZ;
  else process.env.TZ = home;
});

describe('a date without a time', () => {
  test.each([
    ['UTC', '2027-01-31', '2027-01-31T00:00:00.000Z', '2027-01-31T23:59:59.999Z'],
    ['Europe/Berlin', '2027-01-31', '2027-01-30T23:00:00.000Z', '2027-01-31T22:59:59.999Z'],
    ['Europe/Berlin', '2027-03-28', '2027-03-27T23:00:00.000Z', '2027-03-28T21:59:59.999Z'],
    ['America/Los_Angeles', '2027-12-31', '2027-12-31T08:00:00.000Z', '2028-01-01T07:59:59.999Z'],
    ['Asia/Kathmandu', '2028-02-29', '2028-02-28T18:15:00.000Z', '2028-02-29T18:14:59.999Z'],
    ['America/Los_Angeles', '9999-12-31', '9999-12-31T08:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  ])('is in %s the whole day %s', (zone, day, start, end) => {
    process.env.TZ = zone;
    expect([parseTime('--at', day, 'start'), parseTime('--at', day, 'end')]).toEqual([start, end]);
  });
});

describe('a date with a time', () => {
  test.each([
    ['2027-01-31T12:00', '2027-01-31T11:00:00.000Z'],
    ['2027-01-31 12:00:05Z', '2027-01-31T12:00:05.000Z'],
    ['2027-01-31T12:00:00+02:00', '2027-01-31T10:00:00.000Z'],
    ['2027-07-31 12:00', '2027-07-31T10:00:00.000Z'],
    ['2027-01-31 12:00 +05:30', '2027-01-31T06:30:00.000Z'],
    ['2027-01-31 12:00 UTC', '2027-01-31T12:00:00.000Z'],
  ])('%j is %j in Berlin', (text, iso) => {
    process.env.TZ = 'Europe/Berlin';
    expect(parseTime('--at', text, 'end')).toBe(iso);
  });

  test.each([
    'tomorrow',
    '2027-02-30',
    '2027-13-01',
    '2027-1-1',
    '1',
    '',
    '2027-01-31T25:00',
    '2027-01-31Z',
    '+012027-01-31',
  ])('%j is refused', (text) => {
    expect(() => parseTime('--at', text, 'end')).toThrow(CliError);
  });
});

describe('a printed time', () => {
  const iso = '2026-07-02T00:30:05.123Z';
  test.each([
    ['UTC', '2026-07-02 00:30 UTC'],
    ['Europe/Berlin', '2026-07-02 02:30 +02:00'],
    ['America/St_Johns', '2026-07-01 22:00 -02:30'],
  ])('names its zone in %s, and can be typed as it is', (zone, text) => {
    process.env.TZ = zone;
    expect(humanTime(iso, Date.parse(iso) - 86_400_000)).toBe(`${text} (in 1 day)`);
    expect(parseTime('--at', text, 'end')).toBe('2026-07-02T00:30:00.000Z');
  });

  test('names its zone in the log, too', () => {
    process.env.TZ = 'Europe/Berlin';
    const line = prettyLine(JSON.stringify({ level: 'info', time: iso, msg: 'ready' }), false);
    expect(line).toBe('02:30:05.123 +02:00 INFO  ready\n');
  });

  test('says how far away it is', () => {
    const day = 86_400_000;
    expect(relativeTime(-3 * day)).toBe('3 days ago');
    expect(relativeTime(day)).toBe('in 1 day');
    expect(relativeTime(5000)).toBe('now');
    expect(relativeTime(-400 * day)).toBe('1 year ago');
    expect(humanTime(null, 0)).toBe('');
  });
});

describe('a distance in time is rounded to the nearest', () => {
  const day = 86_400_000;
  test.each([
    [30 * day - 1, 'in 30 days'],
    [-(30 * day + 5000), '30 days ago'],
    [365 * day - 200, 'in 1 year'],
    [90 * day, 'in 3 months'],
    [90 * 60_000, 'in 2 hours'],
    [59_400, 'now'],
    [59_900, 'in 1 minute'],
  ])('%d ms is %j', (distance, text) => {
    expect(relativeTime(distance)).toBe(text);
  });
});
