// Places that one part of the program leaves open for parts above it.
import { expect, it } from 'vitest';
import { extension, fill, filledIn, fillingsOf } from '#kernel/extension.ts';
import type { SettingsReader } from '#kernel/settings-reader.ts';

const place = extension<() => string>('greeting');
const other = extension<number>('number');
const enabledBy = { key: 'greets', default: false };
const reading = (isOn: boolean) => ({
  settings: { version: 1, get: () => isOn } as unknown as SettingsReader,
});

it('gives what stands in a place in its order, and nothing where nobody fills it', async () => {
  const fillings = fillingsOf([fill(place, async () => () => 'hello'), fill(place, async () => () => 'hi')]);
  expect((await filledIn(fillings, place, reading(true))).map((say) => say())).toEqual(['hello', 'hi']);
  expect(await filledIn(fillings, other, reading(true))).toEqual([]);
});

it('loads nothing of a part whose switch is off', async () => {
  let loaded = 0;
  const filling = fill(place, async () => {
    loaded += 1;
    return () => 'hello';
  });
  const fillings = fillingsOf([{ ...filling, enabledBy }]);
  expect(await filledIn(fillings, place, reading(false))).toEqual([]);
  expect(loaded).toBe(0);
  expect(await filledIn(fillings, place, reading(true))).toHaveLength(1);
  expect(loaded).toBe(1);
});
