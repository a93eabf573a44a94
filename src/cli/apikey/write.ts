import type { ApiKeyView } from '#platform/api-keys/view.ts';
import { writeCard } from '../card.ts';
import type { Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { limitsText } from './limits.ts';

/** Writes an API key as the answer. @param words by field, for a person in place of its value */
export function writeApiKey(
  cli: Cli,
  view: Pick<ApiKeyView, 'limits' | 'scope'>,
  words: object = {},
): Promise<void> {
  // The list of a license key's scopes holds that one scope, which has a line of its own.
  const once = view.scope === null ? {} : { scopes: null };
  return writeCard(cli, view, { limits: limitsText(view.limits), ...once, ...words });
}

/** The flags that stand for fields of an API key. */
export const apiKeyFlags = {
  name: '--name',
  ipAllowlist: '--ip',
  allowedOrigins: '--origin',
  expiresAt: '--expires',
  productIds: '--product',
  limits: '--limit',
};

/**
 * Ids of the products of `--product`.
 *
 * @param desk that knows the operations of products
 * @returns undefined when none was given
 * @throws AppError NOT_FOUND
 */
export async function productIdsAsked(cli: Cli, desk: Desk): Promise<string[] | undefined> {
  const named = cli.list('product');
  if (named.length === 0) return undefined;
  const { productOf } = await import('../product/twin.ts');
  const found = await Promise.all(named.map((name) => productOf(desk, name)));
  return [...new Set(found.map(({ id }) => id))];
}
