import { COUNTRY_CODES, needsPostalCode, type State, statesOf } from './countries.ts';

/** A country as an address form offers it. */
export interface Country {
  readonly code: string;
  readonly name: string;
  readonly states: readonly State[];
  readonly postal_required: boolean;
}

const made = new Map<string, readonly Country[]>();

/** Every country by its name in a language, in the order of that language. @param lang of a catalogue, such as `de` */
export function countriesIn(lang: string): readonly Country[] {
  const known = made.get(lang);
  if (known) return known;
  const names = new Intl.DisplayNames([lang], { type: 'region' });
  const { compare } = new Intl.Collator(lang);
  const all = COUNTRY_CODES.map((code) => ({
    code,
    name: names.of(code) ?? code,
    states: statesOf(code),
    postal_required: needsPostalCode(code),
  })).sort((one, other) => compare(one.name, other.name));
  made.set(lang, all);
  return all;
}
