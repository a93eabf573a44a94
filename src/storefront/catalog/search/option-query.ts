import { invalidField } from '#kernel/service/errors.ts';
import { severalIn } from '#storefront/contract/several.ts';

const OPTION = 'option.';
/** Values of one list: far more than anybody chooses, and each is looked for in every product. */
export const MOST_CHOSEN = 40;

/** Alternatives stand in one parameter, joined by commas. */
export const values = (text: string | undefined): string[] => severalIn(text ?? '');

/** `option.Color=Red,Blue` of a query. */
export function optionsOf(query: Readonly<Record<string, unknown>>): Record<string, string[]> {
  const named = Object.entries(query).filter(([name]) => name.startsWith(OPTION));
  return Object.fromEntries(named.map(([name, value]) => [name.slice(OPTION.length), values(String(value))]));
}

/** Filters that take several values. */
const LISTED: ReadonlySet<string> = new Set(['category', 'collection', 'brand', 'tag']);

/** @throws AppError VALIDATION_ERROR when more is chosen than one list takes */
export function requireFewChosen(query: Readonly<Record<string, unknown>>): void {
  const chosen = Object.entries(query).flatMap(([name, value]) => {
    const isListed = LISTED.has(name) || name.startsWith(OPTION);
    return isListed && value !== undefined ? values(String(value)).map(() => name) : [];
  });
  const beyond = chosen[MOST_CHOSEN];
  if (beyond !== undefined)
    throw invalidField(
      beyond,
      `is one too many; a list takes at most ${MOST_CHOSEN} values of category, collection, brand, tag and options together`,
    );
}
