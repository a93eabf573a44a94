// How values of other products are read (licensing 6.11).
import { describe, expect, test } from 'vitest';
import { normalName, readTarget } from '#licensing/moving/portability/foreign/columns.ts';
import { addDuration, addValidity, readDate } from '#licensing/moving/portability/foreign/dates.ts';
import { readMachines } from '#licensing/moving/portability/foreign/machines.ts';
import { fitMetadata } from '#licensing/moving/portability/foreign/metadata.ts';
import { isUnlimited, readFlag, readInteger } from '#licensing/moving/portability/foreign/values.ts';

describe('times', () => {
  test.each([
    ['2031-01-20T22:24:49.252Z', '2031-01-20T22:24:49.252Z'],
    ['2021-05-24T14:15:07.000000Z', '2021-05-24T14:15:07.000Z'],
    ['2031-05-05T08:49:17.9361143Z', '2031-05-05T08:49:17.936Z'],
    ['2031-01-20 22:24:49 UTC', '2031-01-20T22:24:49.000Z'],
    ['2031-01-20 22:24', '2031-01-20T22:24:00.000Z'],
    ['2031-01-20T22:24:49+0200', '2031-01-20T20:24:49.000Z'],
    ['2031-01-20', '2031-01-20T23:59:59.999Z'],
    [' ', null],
    [null, null],
    [undefined, null],
  ])('%s is %s', (text, expected) => expect(readDate('x', text, 'end')).toBe(expected));

  test('a date alone that begins something is its first moment', () => {
    expect(readDate('createdAt', '2031-01-20', 'start')).toBe('2031-01-20T00:00:00.000Z');
  });

  test.each([
    '2026-02-30',
    'tomorrow',
    '31.01.2031',
    '01/31/2031',
    '1735689600',
    '1969-12-31',
    '2031-01-20T25:00:00Z',
  ])('%s is no time', (text) =>
    expect(() => readDate('x', text, 'end')).toThrow(expect.objectContaining({ code: 'DATE_INVALID' })),
  );

  test.each([
    ['2030-01-31T10:00:00.000Z', 'P1M', '2030-02-28T10:00:00.000Z'],
    ['2028-02-29T00:00:00.000Z', 'P1Y', '2029-02-28T00:00:00.000Z'],
    ['2030-12-15T00:00:00.000Z', 'P3M10D', '2031-03-25T00:00:00.000Z'],
    ['2030-01-01T00:00:00.000Z', 'P2W', '2030-01-15T00:00:00.000Z'],
    ['2030-01-01T00:00:00.000Z', 'PT36H30M', '2030-01-02T12:30:00.000Z'],
  ])('%s and %s is %s', (from, duration, end) => expect(addDuration('x', from, duration)).toBe(end));

  test.each(['P', 'PT', '1Y', 'P1X', 'P-1D', '', 'P9999Y'])('%s is no duration', (text) => {
    expect(() => addDuration('x', '2030-01-01T00:00:00.000Z', text)).toThrow(
      expect.objectContaining({ code: 'DATE_INVALID' }),
    );
  });

  test('seconds beyond the year 9999 are refused', () => {
    const from = '2030-01-01T00:00:00.000Z';
    expect(addValidity('x', from, 86_400)).toBe('2030-01-02T00:00:00.000Z');
    expect(() => addValidity('x', from, Number.MAX_SAFE_INTEGER)).toThrow(
      expect.objectContaining({ code: 'DATE_INVALID' }),
    );
  });
});

test('column names are the same in any case, with or without spaces, dots, underscores and hyphens', () => {
  for (const name of [
    'customerEmail',
    'Customer Email',
    'CUSTOMER_EMAIL',
    'customer.email',
    'customer-email',
  ]) {
    expect(normalName(name)).toBe('customeremail');
    expect(readTarget(name)).toBe('customerEmail');
  }
  expect(readTarget('metadata.Team A')).toBe('metadata.Team A');
  expect(readTarget('nothing')).toBeNull();
});

test('flags, numbers and the lack of a limit', () => {
  expect(['true', 'Yes', '1', 1, true].map(readFlag)).toEqual(Array(5).fill(true));
  expect(['false', 'no', '0', 0, '', null, undefined, 'x'].map(readFlag)).toEqual(Array(8).fill(false));
  expect([null, '', 0, '0', '0.0', 'Unlimited', '-1'].map(isUnlimited)).toEqual(Array(7).fill(true));
  expect([1, '1', 'x', '-2'].map(isUnlimited)).toEqual(Array(4).fill(false));
  expect([1, '1000', ' 7 ', '5.0'].map((value) => readInteger('x', value, 1, 1000))).toEqual([1, 1000, 7, 5]);
  for (const value of [0, 1001, '1.5', 'x', '1e2', {}, '9'.repeat(20)]) {
    expect(() => readInteger('x', value, 1, 1000)).toThrow(expect.objectContaining({ code: 'LIMIT_RANGE' }));
  }
});

describe('machines', () => {
  test('ids in a cell, JSON, or objects of each source', () => {
    const ids = (value: unknown) => readMachines(value).map(({ machineId }) => machineId);
    expect(ids('machine-1,machine-2;machine-3|machine-4 machine-1')).toEqual(
      [1, 2, 3, 4].map((n) => `machine-${n}`),
    );
    expect(ids('["machine-1",{"fingerprint":"machine-2"},null,{"name":"x"}]')).toEqual([
      'machine-1',
      'machine-2',
    ]);
    expect(ids(['short', 12345678, '1234567'])).toEqual(['imported-short', '12345678', 'imported-1234567']);
    expect(ids(null)).toEqual([]);
    expect(readMachines([{ identifier: 'i-000001', name: 'n', created_at: '2024-01-01' }])).toEqual([
      { machineId: 'i-000001', machineName: 'n', activatedAt: '2024-01-01T00:00:00.000Z' },
    ]);
  });

  test('one that cannot be stored is refused', () => {
    expect(readMachines(['x'.repeat(255)])).toHaveLength(1);
    expect(() => readMachines(['x'.repeat(256)])).toThrow(expect.objectContaining({ code: 'LIMIT_RANGE' }));
    expect(() => readMachines(['machine\u0000-1'])).toThrow(
      expect.objectContaining({ code: 'VALUE_INVALID' }),
    );
    expect(() => readMachines('[not json')).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }));
  });
});

test('metadata that does not fit is left out with a warning; __proto__ is an ordinary name', () => {
  const warnings: string[] = [];
  const own = JSON.parse('{"__proto__":{"a":1},"long":0}') as Record<string, unknown>;
  own.long = 'x'.repeat(1001);
  const rest = Array.from({ length: 20 }, (_, n): [string, unknown] => [`k${n}`, n]);
  const fitted = fitMetadata(own, rest, (text) => warnings.push(text));
  expect(Object.keys(fitted)).toHaveLength(20);
  expect(Object.getOwnPropertyDescriptor(fitted, '__proto__')?.value).toEqual({ a: 1 });
  expect(warnings).toEqual(['2 metadata entries do not fit and were left out']);
});
