// Codes of gift cards: how they are made, and how people type them (storefront-domain 4.9).
import { describe, expect, it } from 'vitest';
import { normOf, shownCode } from '#storefront/pricing/gift-cards/index.ts';
import { newCode } from '../../src/storefront/pricing/gift-cards/code.ts';

const NORM = '01ABCDEFGHJKMNPQ';

it('a new code has 16 signs that nobody mistakes, and no other code has them', () => {
  const codes = Array.from({ length: 2000 }, newCode);
  expect(codes.filter((code) => !/^[0-9A-HJKMNP-TV-Z]{16}$/.test(code))).toEqual([]);
  expect(new Set(codes).size).toBe(codes.length);
  // Each of the 32 signs is as likely as another one.
  const counts = new Map<string, number>();
  for (const sign of codes.join('')) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  expect(counts.size).toBe(32);
  expect(Math.min(...counts.values())).toBeGreaterThan(700);
});

it('people read it in groups of four', () => {
  expect(shownCode(NORM)).toBe('01AB-CDEF-GHJK-MNPQ');
  expect(normOf(shownCode(NORM))).toBe(NORM);
});

describe.each([
  ['lower case', '01ab-cdef-ghjk-mnpq'],
  ['no hyphens', '01ABCDEFGHJKMNPQ'],
  ['spaces', '  01AB CDEF\tGHJK MNPQ '],
  ['other dashes', '01AB–CDEF—GHJK−MNPQ'.replace('−', '‐')],
  ['the letter O for 0', 'O1AB-CDEF-GHJK-MNPQ'],
  ['the letters I and l for 1', 'oiab-cdef-ghjk-mnpq'],
  ['a small L for 1', '0lab-cdef-ghjk-mnpq'],
  ['signs of another width', '０１ＡＢ－ＣＤＥＦ－ＧＨＪＫ－ＭＮＰＱ'],
])('%s', (_what, typed) => {
  it('is the same code', () => expect(normOf(typed)).toBe(NORM));
});

it.each([
  '',
  ' ',
  '01AB-CDEF-GHJK-MNP',
  '01AB-CDEF-GHJK-MNPQ-R',
  'U1AB-CDEF-GHJK-MNPQ',
  '01AB-CDEF-GHJK-MNP!',
  '01АВ-CDEF-GHJK-MNPQ',
  `${'-'.repeat(200)}${NORM}`,
  "' OR 1=1 --",
])('%s is not a code', (typed) => expect(normOf(typed)).toBe(null));
