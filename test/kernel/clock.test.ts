// Times in the one stored form are compared as text, so all of them must have four digits for the year.
import { expect, it } from 'vitest';
import { addSeconds, isoTime } from '#kernel/clock.ts';

const END = '9999-12-31T23:59:59.999Z';

it.each([
  [0, '1970-01-01T00:00:00.000Z'],
  [2_147_483_648_000, '2038-01-19T03:14:08.000Z'],
  [253_402_300_799_999, END],
  [253_402_300_800_000, END],
  [8_640_000_000_000_000, END],
])('%s ms are %s', (epochMs, text) => {
  expect(isoTime(epochMs)).toBe(text);
});

it('what would end after the year 9999 ends with it, and still comes after all others', () => {
  expect(addSeconds('9999-12-31T23:59:00.000Z', 59)).toBe('9999-12-31T23:59:59.000Z');
  expect(addSeconds('9999-12-31T23:59:00.000Z', 60)).toBe(END);
  expect(addSeconds(END, 86_400) > '9999-12-31T23:59:59.998Z').toBe(true);
});
