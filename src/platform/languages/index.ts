import type { i18n } from 'i18next';
import { listAssets, readAsset } from '#kernel/assets.ts';

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

/** A catalogue: texts by their keys, in groups. */
type Catalogue = Readonly<Record<string, unknown>>;

let loaded: { readonly languages: readonly Language[]; readonly engine: i18n } | null = null;
const spoken = new Map<string, Translate>();

/** Reads the catalogues, once: with the first page that needs them. A command never does. */
export async function loadLanguages(): Promise<void> {
  if (loaded) return;
  const { createInstance } = await import('i18next');
  const catalogues = new Map<string, Catalogue>(
    listAssets(FOLDER).map((key) => [
      key.slice(FOLDER.length + 1, -'.json'.length),
      JSON.parse(readAsset(key).toString('utf8')),
    ]),
  );
  const engine = createInstance({
    resources: Object.fromEntries([...catalogues].map(([code, texts]) => [code, { translation: texts }])),
    fallbackLng: FALLBACK,
    initAsync: false,
    // Templates escape what they show.
    interpolation: { escapeValue: false },
  });
  void engine.init();
  const languages = [...catalogues.keys()].map((code) => ({
    code,
    name: new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code,
    dir: engine.dir(code),
  }));
  loaded = { languages, engine };
}

/** @throws Error before `loadLanguages` */
function known(): NonNullable<typeof loaded> {
  if (!loaded) throw new Error('no language is loaded yet');
  return loaded;
}

/** The languages of the catalogues that ship, by their codes. */
export const languages = (): readonly Language[] => known().languages;

/** What says the texts of a language; a key without a text says itself. */
export function translator(code: string): Translate {
  let translate = spoken.get(code);
  if (!translate) {
    const fixed = known().engine.getFixedT(code);
    // Most texts have no places: they are looked up once.
    const plain = new Map<string, string>();
    translate = (key, values) => {
      if (values) return fixed(key, { ...values });
      const text = plain.get(key) ?? fixed(key);
      plain.set(key, text);
      return text;
    };
    spoken.set(code, translate);
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
  const find = (tag: string): Language | undefined => all.find(({ code }) => code === tag);
  for (const tag of wanted) {
    const found = find(tag) ?? find(tag.split('-', 1)[0] ?? '');
    if (found) return found;
  }
  return find(standing) ?? (find(FALLBACK) as Language);
}
