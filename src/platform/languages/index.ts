import type { i18n } from 'i18next';
import { listAssets, readAsset } from '#kernel/assets.ts';
import { defaultsOf, flatten, type Texts, textFault } from './catalogue.ts';

const FOLDER = 'templates/languages';
/** What is said where a catalogue has no word of its own. */
export const FALLBACK = 'en';

/** A language that pages can be read in. */
export interface Language {
  /** BCP 47, such as `de`. */
  readonly code: string;
  /** Its name in itself, such as `Deutsch`. */
  readonly name: string;
  readonly dir: 'ltr' | 'rtl';
}

/** Says the text of a key, such as `list.count`. @param values for its places; `count` chooses the plural */
export type Translate = (key: string, values?: Readonly<Record<string, unknown>>) => string;

/** Texts in place of those of the catalogues, by language and key. */
export type Labels = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** An engine with what its languages say. */
interface Spoken {
  readonly engine: i18n;
  readonly translators: Map<string, Translate>;
}

interface Loaded {
  readonly languages: readonly Language[];
  readonly texts: ReadonlyMap<string, Texts>;
  speaking(labels: Labels | null): Spoken;
}

let loaded: Loaded | null = null;
let own: ReadonlyMap<string, Texts> = new Map();

const shippedTexts = (): Map<string, Texts> =>
  new Map(
    listAssets(FOLDER).map((key) => [
      key.slice(FOLDER.length + 1, -'.json'.length),
      flatten(JSON.parse(readAsset(key).toString('utf8'))).texts,
    ]),
  );

/**
 * Reads the operator's folder of languages and texts.
 *
 * @returns its texts by language; codes of the languages that it adds, and of those whose texts it changes
 * @throws ConfigError naming file and key of everything that is wrong
 */
export async function readOwnLanguages(dir: string) {
  const shipped = shippedTexts();
  const { readOwn } = await import('./own.ts');
  const texts = readOwn(dir, shipped, FALLBACK);
  const codes = [...texts.keys()];
  return {
    texts,
    added: codes.filter((code) => !shipped.has(code)),
    changed: codes.filter((code) => shipped.has(code)),
  };
}

/** Takes languages and texts of the operator's folder, before the first page is shown. Throws as `readOwnLanguages`. */
export async function useOwnLanguages(dir: string): Promise<void> {
  own = (await readOwnLanguages(dir)).texts;
  loaded = null;
}

/** Reads the catalogues, once: with the first page that needs them. A command never does. */
export async function loadLanguages(): Promise<void> {
  if (loaded) return;
  const { createInstance } = await import('i18next');
  const texts = shippedTexts();
  for (const [code, more] of own) texts.set(code, new Map([...(texts.get(code) ?? []), ...more]));
  const make = (labels: Labels | null): Spoken => {
    const engine = createInstance({
      resources: Object.fromEntries(
        [...texts].map(([code, all]) => [
          code,
          { translation: { ...Object.fromEntries(all), ...labels?.[code] } },
        ]),
      ),
      fallbackLng: FALLBACK,
      initAsync: false,
      keySeparator: false,
      nsSeparator: false,
      // Templates escape what they show.
      interpolation: { escapeValue: false },
    });
    void engine.init();
    return { engine, translators: new Map() };
  };
  const plain = make(null);
  const labelled = new WeakMap<Labels, Spoken>();
  const speaking = (labels: Labels | null): Spoken => {
    if (labels === null || Object.keys(labels).length === 0) return plain;
    const known = labelled.get(labels) ?? make(labels);
    labelled.set(labels, known);
    return known;
  };
  const languages = [...texts.keys()].map((code) => ({
    code,
    name: new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code,
    dir: plain.engine.dir(code),
  }));
  loaded = { languages, texts, speaking };
}

/** @throws Error before `loadLanguages` */
function known(): Loaded {
  if (!loaded) throw new Error('no language is loaded yet');
  return loaded;
}

/** The languages of the catalogues, by their codes. */
export const languages = (): readonly Language[] => known().languages;

/** Every text that a language can say, by its key: what it says without labels. @throws Error for an unknown one */
export function textsOf(code: string): Map<string, string> {
  const { texts } = known();
  return defaultsOf(code, texts.get(code) ?? new Map(), texts.get(FALLBACK) as Texts);
}

/** What is wrong with a label; null when nothing is. @param texts of its language, as `textsOf` gives them */
export const labelFault = (texts: Texts, key: string, text: string): string | null =>
  textFault(key, text, texts.get(key));

/**
 * What says the texts of a language; a key without a text says itself.
 *
 * @param labels the same object as long as they are the same
 */
export function translator(code: string, labels: Labels | null = null): Translate {
  const { engine, translators } = known().speaking(labels);
  let translate = translators.get(code);
  if (!translate) {
    const fixed = engine.getFixedT(code);
    // Most texts have no places: they are looked up once.
    const plain = new Map<string, string>();
    translate = (key, values) => {
      if (values) return fixed(key, { ...values });
      const text = plain.get(key) ?? fixed(key);
      plain.set(key, text);
      return text;
    };
    translators.set(code, translate);
  }
  return translate;
}

/**
 * The language in which somebody reads: the first of those wanted that there is a catalogue for.
 *
 * @param wanted tags, best first; `pt-br` is content with `pt`
 * @param standing when none is known
 */
export function chooseLanguage(wanted: readonly string[], standing: string): Language {
  const all = languages();
  const find = (tag: string): Language | undefined => all.find(({ code }) => code.toLowerCase() === tag);
  for (const tag of wanted) {
    const found = find(tag.toLowerCase()) ?? find(tag.toLowerCase().split('-', 1)[0] ?? '');
    if (found) return found;
  }
  return find(standing) ?? (find(FALLBACK) as Language);
}
