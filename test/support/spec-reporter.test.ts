// The table of the specification's rows counts a test for the row that it is named after, and for no other.
import { expect, it } from 'vitest';
import { nameOf, specRows } from '../spec/rows.ts';
import { isAbout } from './spec-reporter.ts';

it('counts the test of a row for that row alone', () => {
  for (const row of specRows) {
    expect(specRows.filter((other) => isAbout(nameOf(row), other))).toEqual([row]);
    expect(isAbout(`some group > ${nameOf(row)} on both`, row)).toBe(true);
  }
});

it('counts a test for no row whose name goes on in another word', () => {
  expect(isAbout('spec fields: Products', { table: 'fields', row: 'Product' })).toBe(false);
});
