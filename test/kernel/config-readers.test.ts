// Every configuration key has an effect: something outside of kernel/config reads it. What is accepted and ignored
// misleads its operator for years.
import { expect, test } from 'vitest';
import { buildConfig } from '#kernel/config/config.ts';
import type { ConfigValues } from '#kernel/config/resolve.ts';
import { configTable } from '#kernel/config/table.ts';
import { capabilities } from '../../src/app/capabilities.ts';
import { readSourceTree } from '../support/source-tree.ts';

const sources = readSourceTree()
  .filter(({ file }) => file.startsWith('src/') && !file.startsWith('src/kernel/config/'))
  .map(({ text }) => text);

const markOf = (key: string): string => `«${key}»`;

/** Where each key ends up in the configuration, for example `log.level` at ['log', 'level']. */
function placesOf(key: string): string[][] {
  const values = { get: (asked: string) => markOf(asked) } as unknown as ConfigValues;
  const places: string[][] = [];
  const walk = (value: unknown, path: string[]): void => {
    if (typeof value === 'string' && value.includes(markOf(key))) places.push(path);
    const inside = value instanceof Map || Array.isArray(value) ? [...value.values()] : [];
    if (inside.some((one) => String(one).includes(markOf(key)))) places.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name]);
  };
  walk(
    buildConfig(values, { baseUrlIsSet: true, databaseGiven: { source: 'default', name: '' } }, new Map()),
    [],
  );
  return places;
}

/** Whether a text takes the last name of a place out of an object that is called as the one before it. */
function reads(text: string, place: readonly string[]): boolean {
  const leaf = place.at(-1) ?? '';
  const owner = place.at(-2) ?? 'config';
  const typed = owner === 'config' ? 'Config\\b' : `Config\\['${owner}'\\]`;
  const named = [...text.matchAll(new RegExp(`(\\w+): ${typed}`, 'g'))].map(([, name]) => name);
  const owners = [owner, ...named].join('|');
  return [
    `\\b(?:${owners})[?!]?\\.${leaf}\\b`,
    `\\{[^{}]*\\b${leaf}\\b[^{}]*\\}\\s*=\\s*[\\w.()! ]*\\b(?:${owners})\\b\\s*[;,)]`,
    `\\b(?:${owners}): \\{[^{}]*\\b${leaf}\\b[^{}]*\\}`,
    owner === 'config' ? `\\{[^{}]*\\b${leaf}\\b[^{}]*\\}: (?:Config\\b|Pick<Config)` : '(?!)',
  ].some((pattern) => new RegExp(pattern).test(text));
}

function hasEffect({ key, env, ...row }: (typeof configTable)[number]): boolean {
  const settings = capabilities.flatMap((one) => one.settings ?? []).map((setting) => setting.key);
  if ('pins' in row && row.pins !== undefined) {
    const pinned = typeof row.pins === 'function' ? Object.keys(row.pins('smtp://x.test')) : [row.pins];
    return pinned.every((one) => settings.includes(one));
  }
  if (sources.some((text) => new RegExp(`\\benv\\.${env}\\b`).test(text))) return true;
  return placesOf(key).some((place) => sources.some((text) => reads(text, place)));
}

test('every key of the configuration is read outside of kernel/config', () => {
  const unread = configTable.filter((row) => !hasEffect(row)).map(({ key }) => key);
  expect(unread).toEqual([]);
});

test.each([
  ['log.level', ['log', 'level'], 'config.log.level', true],
  ['log.level', ['log', 'level'], "function open(given: Config['log']) { return given.level; }", true],
  ['log.level', ['log', 'level'], 'const { format, level } = config.log;', true],
  ['log.level', ['log', 'level'], 'const { log: { level } } = config;', true],
  ['log.level', ['log', 'level'], 'log.info(level)', false],
  ['log.level', ['log', 'level'], 'const { level } = record;', false],
  ['data_dir', ['dataDir'], 'config.dataDir', true],
  ['data_dir', ['dataDir'], 'run: onConfig(({ dataDir }) => 1)', false],
  ['data_dir', ['dataDir'], 'const size = ({ dataDir }: Config) => 1;', true],
  ['data_dir', ['dataDir'], 'const { config } = parts; use(dataDir);', false],
] as const)('%s at %j: %s', (key, place, text, isRead) => {
  expect(placesOf(key)).toContainEqual([...place]);
  expect(reads(text, place)).toBe(isRead);
});
