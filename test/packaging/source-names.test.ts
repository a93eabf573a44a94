// bin/appctl.js finds files of the sources by their names, without asking Node for what package.json says of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test('each name that package.json gives to sources is that of their folder', () => {
  const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    imports: Record<string, string>;
  };
  const names = Object.keys(imports);
  expect(names).toContain('#kernel/*');
  expect(imports).toEqual(Object.fromEntries(names.map((name) => [name, `./src/${name.slice(1)}`])));
});
