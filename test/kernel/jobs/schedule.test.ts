// Cron expressions of operators: the next time, in their zone, from whatever clock asks (M20).
import { describe, expect, it } from 'vitest';
import { nextRun } from '#kernel/jobs/schedule.ts';
import { refusalOf } from '../../support/refusal.ts';

const next = (expression: string, after: string, timeZone = 'UTC') =>
  nextRun({ expression, timeZone }, `${after}:00.000Z`).then((at) => at.slice(0, 16));

describe('the next run', () => {
  it.each([
    ['every day', '30 3 * * *', '2026-03-01T03:29', 'UTC', '2026-03-01T03:30'],
    ['is later than the time that asks', '30 3 * * *', '2026-03-01T03:30', 'UTC', '2026-03-02T03:30'],
    ['weekdays', '0 4 * * sun', '2026-03-02T00:00', 'UTC', '2026-03-08T04:00'],
    ['several minutes', '*/15 * * * *', '2026-03-01T03:31', 'UTC', '2026-03-01T03:45'],
    ['the last day of a month', '0 4 L * *', '2026-02-01T00:00', 'UTC', '2026-02-28T04:00'],
    ['years away', '0 0 29 2 *', '2026-03-01T00:00', 'UTC', '2028-02-29T00:00'],
    ['a zone', '30 3 * * *', '2026-07-01T00:00', 'Europe/Berlin', '2026-07-01T01:30'],
    ['a zone of half an hour', '0 9 * * *', '2026-07-01T00:00', 'Asia/Kolkata', '2026-07-01T03:30'],
    [
      'an hour that does not exist that day',
      '30 2 * * *',
      '2026-03-28T12:00',
      'Europe/Berlin',
      '2026-03-30T00:30',
    ],
    ['an hour that comes twice', '30 2 * * *', '2026-10-24T12:00', 'Europe/Berlin', '2026-10-25T00:30'],
  ])('%s', async (_name, expression, after, zone, expected) => {
    expect(await next(expression, after, zone)).toBe(expected);
  });
});

it.each([
  ['hello', 'expected 5 or 6 fields but got 1'],
  ['61 3 * * *', 'minute must be 0 to 59, not 61'],
  ['0-1000000000 0 * * *', 'minute must be 0 to 59, not 1000000000'],
  ['0 */2,24 * * *', 'hour must be 0 to 23, not 24'],
  ['0 0 0 * *', 'day must be 1 to 31, not 0'],
  ['* * * * * *', 'it needs five fields'],
  ['0 0 30 2 *', 'impossible day of month'],
])('%s is refused with what is wrong and how it is written', async (expression, why) => {
  expect(await refusalOf(next(expression, '2026-03-01T00:00'))).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining(`"${expression}" is not a valid schedule: `),
    details: { hint: expect.stringContaining('"30 3 * * *"') },
  });
  expect((await refusalOf(next(expression, '2026-03-01T00:00'))).message).toContain(why);
});
