// The operator's folder of languages and texts (`locale_dir`).
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { ConfigError } from '#kernel/config/errors.ts';
import {
  chooseLanguage,
  languages,
  loadLanguages,
  readOwnLanguages,
  textsOf,
  translator,
  useOwnLanguages,
} from '#platform/languages/index.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const folder = scratchFolder('appctl-locale-');
const dir = join(folder, 'texts');
beforeEach(() => {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
});
afterAll(async () => {
  // The languages are those of the process, in which other files run.
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  await useOwnLanguages(dir);
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, content: unknown): void =>
  writeFileSync(join(dir, name), typeof content === 'string' ? content : JSON.stringify(content));

it('adds a language, whose missing texts are those of English, and replaces single texts', async () => {
  write('nl.json', {
    nav: { home: 'Start' },
    list: { count_one: '{{count}} ding', count_other: '{{count}} dingen' },
  });
  write('de.json', { 'nav.home': 'Laden' });
  write('readme.txt', 'not read');
  expect(await readOwnLanguages(dir)).toMatchObject({ added: ['nl'], changed: ['de'] });
  await useOwnLanguages(dir);
  await loadLanguages();
  expect(languages().map(({ code }) => code)).toEqual(['ar', 'de', 'en', 'es', 'fr', 'ja', 'pt', 'nl']);
  expect(chooseLanguage(['nl-be'], 'en')).toEqual({ code: 'nl', name: 'Nederlands', dir: 'ltr' });
  const [nl, de] = [translator('nl'), translator('de')];
  expect([nl('nav.home'), nl('list.count', { count: 2 }), nl('nav.sale')]).toEqual([
    'Start',
    '2 dingen',
    'Sale',
  ]);
  expect([de('nav.home'), de('list.count', { count: 1 })]).toEqual(['Laden', '1 Produkt']);
  expect(textsOf('nl').get('nav.home')).toBe('Start');
});

it.each([
  ['nl.json', { nav: { hom: 'x' } }, 'nl.json: nav.hom is not a text of the shop'],
  ['nl.json', { list: { count_few: 'x' } }, 'nl.json: list.count_few is not a text of the shop'],
  ['nl.json', { list: { count_other: 'dingen' } }, 'nl.json: list.count_other must contain {{count}}'],
  ['nl.json', { nav: { home: '{{x}}' } }, 'nl.json: nav.home has no value for {{x}}; leave it out'],
  ['nl.json', { nav: { home: '' } }, 'nl.json: nav.home must not be empty'],
  ['nl.json', { nav: { home: 1 } }, 'nl.json: nav.home must be a text'],
  ['nl.json', [], 'nl.json: the file must hold an object'],
  ['nl.json', '{', 'nl.json: is not valid JSON'],
  [
    'dutch language.json',
    {},
    'dutch language.json: "dutch language" is not a language code such as nl or pt-BR',
  ],
  ['NL.json', {}, 'NL.json: "NL" is not a language code'],
])('%s with %j is refused', async (name, content, words) => {
  write(name, content);
  const error = await readOwnLanguages(dir).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toContain(words);
});

it('all that is wrong is told at once, and a folder that is not there', async () => {
  write('nl.json', { a: 'x', b: 'y' });
  write('pl.json', { c: 'z' });
  const error = (await readOwnLanguages(dir).catch((cause: unknown) => cause)) as ConfigError;
  expect(error.problems).toHaveLength(3);
  await expect(readOwnLanguages(join(folder, 'none'))).rejects.toThrow('cannot be read: ENOENT');
});
