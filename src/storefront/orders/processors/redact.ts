/** What may be kept of a processor's answer: no secret, no number of a card, nothing about a person. */

/** Beside what processors call secrets: names and addresses, which live where they can be anonymized. */
const HIDDEN =
  /secret|token|signature|password|nonce|cvc|cvv|^number$|pan$|source_?id|email|phone|name|address|billing|shipping|payer|owner|ip$|url|href|links|receipt|descriptor/i;
/** A card number, with or without blanks; ids of processors hold letters. */
const CARD_NUMBER = /\b\d(?:[ -]?\d){12,18}\b/g;
const MOST_DEPTH = 6;
const MOST_ITEMS = 20;
const MOST_CHARACTERS = 300;

function kept(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string') return value.replaceAll(CARD_NUMBER, '***').slice(0, MOST_CHARACTERS);
  if (value === null || typeof value !== 'object')
    return typeof value === 'function' || value === undefined ? undefined : value;
  if (depth >= MOST_DEPTH) return undefined;
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((one) => kept(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, one]) => !HIDDEN.test(name) && one !== null && typeof one !== 'function')
      .map(([name, one]) => [name, kept(one, depth + 1)]),
  );
}

/** @param answer of a processor, as its SDK gives it */
export const redacted = (answer: unknown): Readonly<Record<string, unknown>> => {
  const found = kept(answer, 0);
  return found !== null && typeof found === 'object' && !Array.isArray(found)
    ? (found as Record<string, unknown>)
    : {};
};
