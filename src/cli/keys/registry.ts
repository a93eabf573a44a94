import { existsSync } from 'node:fs';
import type { Ctx } from '#kernel/context.ts';
import type { NewKey } from '#licensing/catalog/keys/index.ts';
import type { KeyShape } from '#signing/keys/key-shape.ts';
import type { HeldKey } from '#signing/keys/private-key.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';

/** The use cases on registered keys, loaded only by commands that open the database. */
export type SigningKeys = typeof import('#licensing/catalog/keys/index.ts');

/** Registers keys with one product of the local database. */
export interface KeyRegistry {
  /** See `register` of the signing keys: ACTIVE when the product has no such key, else NEXT. */
  register(key: NewKey): Promise<KeyShape>;
}

/** Runs work on the registered keys of the local database. Fails like withLocal. */
export async function withSigningKeys<T>(
  cli: Cli,
  work: (signingKeys: SigningKeys, ctx: Ctx) => Promise<T>,
): Promise<T> {
  const signingKeys = await import('#licensing/catalog/keys/index.ts');
  return withLocal(cli, ({ ctx }) => work(signingKeys, ctx));
}

/**
 * Runs work with the registry of a product, or with null when there is no database or no such product in it: a key
 * may be made before and away from the installation, and no database is created for it (cli 3.4).
 */
export async function withKeyRegistry<T>(
  cli: Cli,
  product: string,
  work: (registry: KeyRegistry | null) => Promise<T>,
): Promise<T> {
  if (!(await hasDatabase(cli))) return work(null);
  return withSigningKeys(cli, async (signingKeys, ctx) => {
    const { find } = await import('#licensing/catalog/products/index.ts');
    const owner = await find(ctx, product);
    return work(owner && { register: (key) => signingKeys.register(ctx, owner, key) });
  });
}

/** A server's database is asked; a SQLite file that is missing means that there is no installation yet. */
async function hasDatabase(cli: Cli): Promise<boolean> {
  const { url } = (await cli.config()).config.database;
  return url.startsWith('sqlite:') ? existsSync(url.slice('sqlite:'.length)) : true;
}

/** The id of `--product`, or null when it was not given. Throws AppError NOT_FOUND. */
export async function productIdAsked(cli: Cli, ctx: Ctx): Promise<string | null> {
  const slug = cli.option('product');
  if (slug === undefined) return null;
  const { get } = await import('#licensing/catalog/products/index.ts');
  return (await get(ctx, slug)).id;
}

/** The private part of a server-held key, for `--key store:KEYID`. @throws AppError NOT_FOUND */
export const openServerHeldKey = (cli: Cli, keyId: string): Promise<HeldKey> =>
  withSigningKeys(cli, (signingKeys, ctx) => signingKeys.openServerHeld(ctx, keyId));

/** The keys that verify a product's releases, for `--pubkey store:SLUG`. @throws AppError NOT_FOUND */
export function registeredKeysOf(cli: Cli, slug: string): Promise<readonly Buffer[]> {
  return withSigningKeys(cli, async (signingKeys, ctx) => {
    const { get } = await import('#licensing/catalog/products/index.ts');
    const keys = await signingKeys.publicKeysOf(ctx, await get(ctx, slug));
    if (keys.length === 0)
      throw notFoundError(`the product ${slug} has no signing key`, `appctl keys generate --product ${slug}`);
    return keys;
  });
}
