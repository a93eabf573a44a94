import semverCompare from 'semver/functions/compare.js';
import semverParse from 'semver/functions/parse.js';
import { expect, test } from 'vitest';
import { compareVersions, parseVersion, type Version } from '../../src/client/semver.ts';

/** Ascending, as semver.org orders them. */
const ascending = [
  '0.0.1-0',
  '0.0.1',
  '0.9.0',
  '0.10.0',
  '1.0.0-1',
  '1.0.0-9',
  '1.0.0-10',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.1',
  '2.0.0--',
  '2.0.0-0a',
  '2.0.0-A',
  '2.0.0-a',
  '2.0.0',
  '10.0.0',
];

test('versions are ordered as npm orders them', () => {
  for (const a of ascending) {
    for (const b of ascending) {
      const ours = compareVersions(parseVersion(a) as Version, parseVersion(b) as Version);
      expect(Math.sign(ours), `${a} and ${b}`).toBe(semverCompare(a, b));
      expect(Math.sign(ours), `${a} and ${b}`).toBe(Math.sign(ascending.indexOf(a) - ascending.indexOf(b)));
    }
  }
});

test('numbers beyond any that is counted exactly are ordered too, and build data orders nothing', () => {
  const order = (a: string, b: string) =>
    compareVersions(parseVersion(a) as Version, parseVersion(b) as Version);
  expect(order('9007199254740993.0.0', '9007199254740992.0.0')).toBeGreaterThan(0);
  expect(order('1.0.0-9007199254740993', '1.0.0-9007199254740992')).toBeGreaterThan(0);
  expect(order('1.0.0+2', '1.0.0+1')).toBe(0);
});

test.each([
  ...['', '1', '1.2', '1.2.3.4', 'v1.2.3', '01.2.3', '1.2.03', '1.2.3-', '1.2.3-01', '1.2.3-a..b', '1.2.3+'],
  ...['1.2.3+a+b', '1.2.3-é', '-1.2.3', '1.2.x', ' 1.2.3', '1.2.3\n', '1.2.-3', `1.2.3-${'a'.repeat(100)}`],
])('%j is no version', (text) => {
  expect(parseVersion(text)).toBeNull();
  // What npm takes beyond: blanks around, a leading v, any length.
  if (!/^\s|\s$|^v/.test(text) && text.length < 100) expect(semverParse(text)).toBeNull();
});
