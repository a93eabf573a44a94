import { de, en, es, fr, pt, type Words } from './translations.ts';

export type { Words } from './translations.ts';

/** Languages that the font of documents can print; English stands in for the others. */
const languages: Readonly<Record<string, Words>> = { en, de, fr, es, pt };

const languageOf = (locale: string): string => locale.split('-', 1)[0] ?? '';

/** @param locale such as `de-AT` */
export const wordsOf = (locale: string): Words => {
  const language = languageOf(locale);
  return (Object.hasOwn(languages, language) ? languages[language] : undefined) ?? en;
};

/** By which days and amounts are written: digits and months are of the language of the words. */
export const figuresLocaleOf = (locale: string): string =>
  Object.hasOwn(languages, languageOf(locale)) ? locale : 'en';
