import { describe, expect, test } from 'vitest';
import { nearest } from '#kernel/edit-distance.ts';
import { CliError } from '../../src/cli/frame/errors.ts';
import type { Column, Row } from '../../src/cli/frame/rows.ts';
import { renderTable } from '../../src/cli/frame/table.ts';
import { maskLicenseKey, parseDuration, parseJsonObject, parsePairs } from '../../src/cli/frame/values.ts';

describe('values of options', () => {
  test.each([
    ['90s', 90],
    ['30m', 1800],
    ['12h', 43_200],
    ['30d', 2_592_000],
    ['2w', 1_209_600],
    ['30', undefined],
    ['1y', undefined],
    ['-1d', undefined],
    ['1.5d', undefined],
    ['', undefined],
  ])('the duration %j is %j seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  test('JSON objects and pairs', () => {
    expect(parseJsonObject('--features', '{"a":1}')).toEqual({ a: 1 });
    for (const bad of ['[]', 'null', '1', '{', ''])
      expect(() => parseJsonObject('--features', bad)).toThrow(CliError);
    expect(parsePairs('--meta', ['a=1', 'b=x=y', 'c'])).toEqual({ a: '1', b: 'x=y', c: true });
    expect(() => parsePairs('--meta', ['=1'])).toThrow(CliError);
    expect(Object.getPrototypeOf(parsePairs('--meta', ['__proto__=1']))).toBe(Object.prototype);
  });

  test('license keys show their first two groups at most', () => {
    expect(maskLicenseKey('APP-7F3K-ABCD-EFGH-JKLM')).toBe('APP-7F3K-****-****-****');
    expect(maskLicenseKey('ABCDEFGHJKLM')).toBe('ABCD****');
    expect(maskLicenseKey('AB')).toBe('****');
  });
});

describe('suggestions', () => {
  test('the nearest word within the limit, a swap counting as one edit', () => {
    expect(nearest('lisetn', ['list', 'listen', 'config'])).toBe('listen');
    expect(nearest('xyz', ['list', 'listen'])).toBeUndefined();
  });
});

describe('tables', () => {
  const paint = (_style: unknown, text: string) => text;

  test('a table fits the terminal and is cut with an ellipsis, and never cut elsewhere', async () => {
    const rows = [{ title: 'a'.repeat(40), name: 'b'.repeat(40) }];
    const columns = [{ key: 'title' }, { key: 'name' }];
    const when = {
      id: 'a'.repeat(30),
      at: '2026-05-01T12:00:00.000Z',
      state: 'ACTIVE',
      email: 'b@x.test',
      end: null,
    };
    const timed: Column[] = [
      { key: 'id' },
      { key: 'at', time: true as const },
      { key: 'state' },
      { key: 'email' },
      { key: 'end' },
    ];
    const at = async (width: number | undefined, all: typeof rows | object[], some: Column[] = columns) =>
      renderTable(all as Row[], some, { width, paint, now: Date.parse(when.at) });
    const narrow = await at(40, rows);
    for (const line of narrow.text.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
    expect(narrow.text).toContain('a…');
    const cut = await at(
      60,
      [{ id: 'a'.repeat(40), name: 'b'.repeat(40) }],
      [{ key: 'id' }, { key: 'name' }],
    );
    expect(cut.text).toContain('a'.repeat(40));
    expect((await at(120, [when], timed)).text).toMatch(
      /^a{30} {2}2026-05-01 .+ \(now\) {2}ACTIVE {2}b@x\.test$/m,
    );
    expect(await at(80, [when], timed)).toEqual({
      text: expect.stringMatching(/^a{30} {2}2026-05-01 \d\d:\d\d \S+ {2}ACTIVE {2}b@x\.test$/m),
      leftOut: [],
    });
    expect(await at(56, [when, when], timed)).toEqual({
      text: `ID${' '.repeat(30)}STATE   EMAIL\n${`${when.id}  ACTIVE  b@x.test\n`.repeat(2)}`,
      leftOut: ['at'],
    });
    const kept = await at(
      36,
      [{ ...when, total_cents: 4711 }],
      [...timed, { key: 'total_cents', title: 'total' }],
    );
    expect(kept).toEqual({
      text: `ID\n  STATE   EMAIL     TOTAL\n${when.id}\n  ACTIVE  b@x.test  4711\n`,
      leftOut: ['at'],
    });
    expect((await at(undefined, rows)).text).toContain(`${'a'.repeat(40)}  ${'b'.repeat(40)}`);
  });
});
