import { describe, expect, test } from 'vitest';
import { nearest } from '#kernel/edit-distance.ts';
import { CliError } from '../../src/cli/frame/errors.ts';
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
    const narrow = await renderTable(rows, columns, { width: 40, paint, now: 0 });
    for (const line of narrow.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
    expect(narrow).toContain('a…');
    const identified = [{ id: 'a'.repeat(40), name: 'b'.repeat(40) }];
    const cut = await renderTable(identified, [{ key: 'id' }, { key: 'name' }], { width: 60, paint, now: 0 });
    expect(cut).toContain('a'.repeat(40));
    const when = {
      id: 'a'.repeat(30),
      at: '2026-05-01T12:00:00.000Z',
      state: 'ACTIVE',
      email: 'b@x.test',
      end: null,
    };
    const timed = [
      { key: 'id' },
      { key: 'at', time: true as const },
      { key: 'state' },
      { key: 'email' },
      { key: 'end' },
    ];
    const roomy = await renderTable([when], timed, { width: 120, paint, now: Date.parse(when.at) });
    expect(roomy).toMatch(/^a{30} {2}2026-05-01 .+ \(now\) {2}ACTIVE {2}b@x\.test$/m);
    const short = await renderTable([when], timed, { width: 80, paint, now: Date.parse(when.at) });
    expect(short).toMatch(/^a{30} {2}2026-05-01 \d\d:\d\d \S+ {2}ACTIVE {2}b@x\.test$/m);
    const folded = await renderTable([when, when], timed, { width: 56, paint, now: 0 });
    expect(folded.split('\n')).toEqual([
      expect.stringMatching(/^ID {30}AT$/),
      expect.stringMatching(/^ {2}STATE {3}EMAIL {5}END$/),
      expect.stringMatching(/^a{30} {2}2026-05-01 \d\d:\d\d \S+$/),
      '  ACTIVE  b@x.test',
      expect.stringMatching(/^a{30} {2}2026-05-01 \d\d:\d\d \S+$/),
      '  ACTIVE  b@x.test',
      '',
    ]);
    const wide = await renderTable(rows, columns, { width: undefined, paint, now: 0 });
    expect(wide).toContain(`${'a'.repeat(40)}  ${'b'.repeat(40)}`);
  });
});
