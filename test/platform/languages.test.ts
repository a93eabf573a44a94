// The catalogues of the shop: every language says the same things (shop-pages 7).
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { chooseLanguage, languages, loadLanguages, translator } from '#platform/languages/index.ts';

const FOLDER = 'templates/languages';
const codes = readdirSync(FOLDER).map((file) => file.slice(0, -'.json'.length));

type Tree = { [key: string]: string | Tree };
const flat = (tree: Tree, before = ''): [key: string, text: string][] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[before + key, value]] : flat(value, `${before}${key}.`),
  );
const textsOf = (code: string): Map<string, string> =>
  new Map(flat(JSON.parse(readFileSync(`${FOLDER}/${code}.json`, 'utf8'))));

const PLURAL = /_(zero|one|two|few|many|other)$/;
const keysOf = (code: string): string[] =>
  [...new Set([...textsOf(code).keys()].map((key) => key.replace(PLURAL, '_plural')))].sort();
const placesIn = (text: string): string[] =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name).sort();

beforeAll(loadLanguages);

it('there are seven, and one of them is read from right to left', () => {
  expect(languages().map(({ code }) => code)).toEqual(['ar', 'de', 'en', 'es', 'fr', 'ja', 'pt']);
  expect(languages().filter(({ dir }) => dir === 'rtl')).toHaveLength(1);
});

describe.each(codes)('%s', (code) => {
  it('has the keys of English, and no empty text', () => {
    expect(keysOf(code)).toEqual(keysOf('en'));
    expect([...textsOf(code).values()].filter((text) => text.trim() === '')).toEqual([]);
  });

  it('has the places of English; a plural may leave out its number', () => {
    const own = textsOf(code);
    const wrong = [...textsOf('en')].filter(([key, text]) => {
      const said = own.get(key) ?? own.get(key.replace(PLURAL, '_other')) ?? '';
      const wanted = placesIn(text);
      return !PLURAL.test(key) && placesIn(said).join() !== wanted.join();
    });
    expect(wrong).toEqual([]);
  });

  it('has a text for each plural of the language', () => {
    const categories = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
    const own = textsOf(code);
    expect(categories.filter((category) => !own.has(`list.count_${category}`))).toEqual([]);
    for (const count of [0, 1, 2, 3, 11, 100])
      expect(translator(code)('list.count', { count })).not.toContain('{{');
  });
});

it('the first wanted language that there is wins; a region is content with its language', () => {
  expect(chooseLanguage(['xx', 'pt-br', 'de'], 'en').code).toBe('pt');
  expect(chooseLanguage([], 'fr').code).toBe('fr');
  expect(chooseLanguage(['__proto__', 'constructor'], 'no-such').code).toBe('en');
});
