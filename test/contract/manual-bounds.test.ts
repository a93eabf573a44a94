// The manual's table of bounds says what the license API does: each number stands at the field of that name.
import { expect, it } from 'vitest';
import { loadConfig } from '#kernel/config/load.ts';
import { openApi } from '#kernel/http/openapi.ts';
import { readPage } from '#platform/help/index.ts';
import { surfacesOf } from '../../src/app/serve.ts';

import { resolved } from './openapi-resolved.ts';

type Json = { [key: string]: unknown };

const { config } = await loadConfig({ cwd: import.meta.dirname, env: { HOME: import.meta.dirname } });
const [licensing] = surfacesOf(config);
const document = resolved(
  openApi(licensing as NonNullable<typeof licensing>, '0.0.0', 'https://licenses.appctl.test'),
);

/** Every input of that name, parameters and fields of bodies, wherever it stands. */
function inputsNamed(name: string): Json[] {
  const found: Json[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { name: own, schema, properties } = node as Json;
    if (own === name) found.push(schema as Json);
    const field = (properties as Json | undefined)?.[name];
    if (field) found.push(field as Json);
    for (const [key, value] of Object.entries(node)) if (key !== 'responses') walk(value);
  };
  walk(document.paths);
  return found;
}

/** The largest of what a schema states, and what its description says. */
const statedBy = ({ maxLength, maximum, maxProperties, description }: Json): string =>
  [maxLength, maximum, maxProperties, description].filter((one) => one !== undefined).join(' ');

const page = readPage('limits');
const table = page.slice(page.indexOf('## Bounds of fields'));
const rows = [...table.matchAll(/^\| (`.*?) +\| (.*?) +\|$/gm)].flatMap(([, fields = '', bound = '']) =>
  [...fields.matchAll(/`([^`]+)`/g)].map(([, field]) => [String(field), bound] as const),
);

it('has its rows', () => {
  expect(rows.map(([field]) => field)).toContain('reason');
});

it.each(rows)('%s: %s', (field, bound) => {
  const inputs = inputsNamed(field);
  expect(inputs.length).toBeGreaterThan(0);
  const most = [...bound.matchAll(/\d+/g)].map(([digits]) => digits).filter((digits) => digits.length > 1);
  for (const input of inputs)
    expect(most.some((digits) => statedBy(input).split(/\D+/).includes(digits))).toBe(true);
});

it('tells the sizes of bodies', () => {
  const bodies = [...JSON.stringify(document.paths).matchAll(/t most (\d+) bytes/g)].map(
    ([, digits]) => digits,
  );
  expect([...new Set(bodies)].sort()).toEqual([...(table.match(/\b\d{6,7}\b/g) ?? [])].sort());
});
