// The table of the shop's operations: what is missing makes the run fail, but for what is to come later.
import { expect, it } from 'vitest';
import { missingOf, tableOf } from './store-reporter.ts';
import { LATER, rowName, type StoreRow, storeRows } from './store-rows.ts';

const row = (name: string, tier: StoreRow['tier']): StoreRow => ({ name, tier, purpose: '' });
const [later = ''] = LATER;
const rows = [
  row('GET /a', '1'),
  row('GET /b/{}', '1'),
  row(later, '1'),
  row('GET /c', '2'),
  row('GET /d', '3'),
];
const seen = new Map([
  ['GET /a', 3],
  ['GET /d', 1],
]);

it('names what is missing of the first tier, and nothing else', () => {
  expect(missingOf(rows, seen).map(({ name }) => name)).toEqual(['GET /b/{}']);
  expect(missingOf(rows, new Map([...seen, ['GET /b/{}', 1]]))).toEqual([]);
});

it('sums up each tier and ends with what is missing, for whoever sees the end alone', () => {
  const table = tableOf(rows, seen);
  expect(table).toContain('Tier 1: 1 of 3 rows answered as declared, 1 come later\n');
  expect(table).toContain('Tier 2: 0 of 1 rows answered as declared\n');
  expect(table).toContain('Tier 3: 1 of 1 rows answered as declared\n');
  expect(table.endsWith('FAILED no test was answered: GET /b/{}')).toBe(true);
});

it('the rows are those of the design: each once, and what comes later is of the first tier', () => {
  expect(storeRows).toHaveLength(567);
  expect(new Set(storeRows.map(({ name }) => name)).size).toBe(567);
  const first = storeRows.filter(({ tier }) => tier === '1').map(({ name }) => name);
  expect(first).toEqual(expect.arrayContaining([...LATER]));
  expect(rowName('get', '/api/store/orders/{order_number}/pay')).toBe('GET /api/store/orders/{}/pay');
});
