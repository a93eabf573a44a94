import { expect, it } from 'vitest';
import { defineIds, isId, newId } from '../../src/kernel/ids.ts';

it('ids of one millisecond are different and sort in the order in which they were made', () => {
  const made = Array.from({ length: 20_000 }, () => newId('evt', 1_790_000_000_000));
  expect([...made].sort()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
  expect(made.every((id) => isId('evt', id))).toBe(true);
});

it('ids sort by the time of their creation and do not repeat their random part', () => {
  const [early, late, again] = [
    newId('lic', 1_790_000_000_001),
    newId('lic', 1_790_000_000_002),
    newId('lic', 1_790_000_000_001),
  ];
  expect([late, early].sort()).toEqual([early, late]);
  expect(early.slice(0, 14)).toBe(again.slice(0, 14));
  expect(early).not.toBe(again);
  expect(newId('lic', 0)).toMatch(/^lic_0000000000/);
});

it('a time before 1970 makes no id', () => {
  expect(() => newId('lic', -1)).toThrow(RangeError);
});

it('isId knows the form', () => {
  const id = newId('lic', 1_790_000_000_000);
  expect([
    isId('lic', id),
    isId('cus', id),
    isId('lic', `${id}0`),
    isId('lic', 'lic_x'),
    isId('lic', id.toLowerCase()),
  ]).toEqual([true, false, false, false, false]);
});

it('a prefix has one owner', () => {
  defineIds({ firstOwner: 'zzz' });
  expect(() => defineIds({ secondOwner: 'zzz' })).toThrow('belongs to firstOwner');
  expect(() => defineIds({ long: 'long' })).toThrow('three letters');
});
