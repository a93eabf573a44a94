// Every table that says something of a person tells how an erasure reaches it.
import { expect, it } from 'vitest';
import { capabilities } from '../../src/app/capabilities.ts';

const records = capabilities.flatMap(({ records = [] }) => records);
/** Those of the license service are about its own customers, whom it erases itself. */
const ofShop = records.filter(({ table }) => !/^licenses$|^license_/.test(table));

it('tables with personal data say whose they are, or why an erasure leaves them', () => {
  const untold = ofShop.filter(
    ({ columns, whose }) =>
      whose === null &&
      Object.entries(columns).some(
        ([name, { traits }]) =>
          traits.personal !== null || traits.target === 'customers' || /customerId$/i.test(name),
      ),
  );
  expect(untold.map(({ table }) => table)).toEqual([]);
});

it('what is emptied in a row that stays has something in its place', () => {
  const left = ofShop.flatMap(({ table, columns, whose }) =>
    whose === null || typeof whose === 'string' || whose.goes
      ? []
      : Object.entries(columns).flatMap(([name, { traits }]) =>
          traits.personal && !traits.personal.erased && !traits.derive ? [`${table}.${name}`] : [],
        ),
  );
  expect(left).toEqual([]);
});

it('what leads to a person are columns of tables that are found before', () => {
  const tables = new Set(ofShop.map(({ table }) => table));
  for (const { table, columns, whose } of ofShop) {
    if (whose === null || typeof whose === 'string') continue;
    for (const [name, target] of Object.entries(whose.ids ?? {})) {
      expect([table, name in columns]).toEqual([table, true]);
      expect([table, target === '*' || tables.has(target ?? '')]).toEqual([table, true]);
    }
    if (whose.email) expect(Object.keys(columns)).toContain(whose.email);
  }
});
