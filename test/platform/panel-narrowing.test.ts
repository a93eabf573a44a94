// Tabs and views of the panel narrow lists by parameters that these have: one that they have not would show everything.
import { expect, it } from 'vitest';
import type { Resource, Screen } from '#platform/admin/index.ts';
import { capabilities } from '../../src/app/capabilities.ts';
import { desksOf } from '../../src/platform/panel/screens/registry.ts';

const desks = desksOf(capabilities.flatMap(({ resources = [] }) => resources as readonly Resource[]));
/** Of the address of a list, not of its rows. */
const OF_PAGES = ['columns', 'sort', 'q', 'limit', 'page', 'from', 'to'];

const parametersOf = (name: string): readonly string[] => {
  const desk = desks.find((one) => one.name === name);
  const { shape = {} } = (desk?.ops.list?.query ?? {}) as { shape?: object };
  return [...Object.keys(shape), ...OF_PAGES];
};
/** Stands in for an item: it has something in every field. */
const anything = new Proxy({}, { get: () => 'x' }) as Record<string, unknown>;

it('there are lists to look at', () => {
  expect(desks.length).toBeGreaterThan(40);
});

it.each(desks.map((desk) => [desk.name, desk.screen] as const))('%s', (name, screen: Screen) => {
  const faults: string[] = [];
  const judge = (what: string, of: string, parameters: Iterable<string>): void => {
    const known = parametersOf(of);
    for (const one of parameters) if (!known.includes(one)) faults.push(`${what}: ${of} has no ${one}`);
  };
  for (const view of screen.views ?? []) judge(view.name, name, new URLSearchParams(view.query).keys());
  for (const [tab, spec] of Object.entries(screen.tabs ?? {})) {
    if (!('of' in spec)) continue;
    if (!desks.some((desk) => desk.name === spec.of)) faults.push(`${tab}: ${spec.of} is no resource`);
    judge(tab, spec.of, Object.keys(spec.filters?.(anything) ?? {}));
  }
  expect(faults).toEqual([]);
});
