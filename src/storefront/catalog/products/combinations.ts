import { invalidField } from '#kernel/service/errors.ts';
import { slugOf } from '#storefront/contract/slug.ts';
import type { Chosen, OptionOf } from './whole.ts';

/**
 * Every combination of the values of some options: the first option changes slowest.
 *
 * @throws AppError VALIDATION_ERROR for more than `most`, and for an option without values
 */
export function combinationsOf(options: readonly OptionOf[], most: number): Chosen[][] {
  const empty = options.find(({ values }) => values.length === 0);
  if (empty) throw invalidField('options', `${empty.name} has no values; add them first`);
  const count = options.reduce((product, { values }) => product * values.length, 1);
  if (count > most)
    throw invalidField(
      'options',
      `a product has at most ${most} variants, its options have ${count} combinations`,
    );
  return options.reduce<Chosen[][]>(
    (made, { id, name, values }) =>
      made.flatMap((before) =>
        values.map((value) => [
          ...before,
          { optionId: id, option: name, valueId: value.id, value: value.value },
        ]),
      ),
    [[]],
  );
}

/**
 * The SKU of a combination: `TEE-{Color}-{Size}` makes `TEE-RED-M`.
 *
 * @param pattern the slug and every value when absent
 */
export function skuBy(pattern: string | undefined, slug: string, chosen: readonly Chosen[]): string {
  const word = (text: string): string => (slugOf(text) || text).toUpperCase();
  if (pattern === undefined)
    return [slug, ...chosen.map(({ value }) => value)].map(word).join('-').slice(0, 100);
  return chosen.reduce((sku, { option, value }) => sku.replaceAll(`{${option}}`, word(value)), pattern);
}
