// What every process has of the capabilities, beside what a serving one mounts.
import { expect, test } from 'vitest';
import { capabilities } from '../../src/app/capabilities.ts';
import { localParts } from '../../src/app/local.ts';

test('a command knows each setting and each subscriber of the program', () => {
  const keys = (parts: readonly (typeof localParts)[number][]) =>
    parts.flatMap(({ settings = [] }) => settings.map(({ key }) => key)).sort();
  expect(keys(localParts)).toEqual(keys(capabilities));
  const heard = (parts: readonly (typeof localParts)[number][]) =>
    parts.flatMap(({ name, subscribers = [] }) => subscribers.map(({ type }) => `${name} ${type}`)).sort();
  expect(heard(localParts)).toEqual(heard(capabilities));
  expect(heard(localParts).length).toBeGreaterThan(0);
});
