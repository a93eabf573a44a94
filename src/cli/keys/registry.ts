import { existsSync } from 'node:fs';
import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, signingKeyOf } from '#kernel/ed25519.ts';
import type { KeyOwner, NewKey } from '#licensing/catalog/keys/index.ts';
import type { ProductKeysView, SigningKeyView } from '#licensing/catalog/keys/view.ts';
import type { KeyShape } from '#signing/keys/key-shape.ts';
import type { HeldKey } from '#signing/keys/private-key.ts';
import { formatPublicKey } from '#signing/keys/public-key-text.ts';
import { at, type Desk } from '../desk/desk.ts';
import { unlessMissing } from '../desk/missing.ts';
import type { Cli } from '../frame/context.ts';
import { type CliError, notFoundError, usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { serverAsked } from '../remote/asked.ts';
import { shapeOf, withKeys } from './twin.ts';

/** The use cases on registered keys, loaded only by commands that open the database. */
export type SigningKeys = typeof import('#licensing/catalog/keys/index.ts');

/** Registers keys with one product, of the local database or of a server. */
export interface KeyRegistry {
  /** Id of the product's ACTIVE key, or null. */
  readonly activeKeyId: string | null;
  /**
   * See `register` of the signing keys: ACTIVE when the product has no such key, else NEXT. A private part stays on the
   * machine that has it: a server makes those that it holds.
   */
  register(key: NewKey): Promise<KeyShape>;
  /** Makes a key whose private part stays there. */
  generate(label: string | null): Promise<KeyShape>;
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
  if (await isAway(cli)) return work(null);
  return withKeys(cli, async (desk) => {
    if (desk.local === null) return work(await registryThere(desk, product));
    const { ctx } = desk.local;
    const [signingKeys, { find }] = await Promise.all([
      import('#licensing/catalog/keys/index.ts'),
      import('#licensing/catalog/products/index.ts'),
    ]);
    const owner = await find(ctx, product);
    if (owner === null) return work(null);
    return work(registryHere(ctx, signingKeys, owner, await activeKeyIdOf(desk, product)));
  });
}

function registryHere(
  ctx: Ctx,
  signingKeys: SigningKeys,
  owner: KeyOwner,
  activeKeyId: string | null,
): KeyRegistry {
  const register = (key: NewKey) => signingKeys.register(ctx, owner, key);
  return {
    activeKeyId,
    register,
    generate(label) {
      const seed = generateSeed();
      return register({ publicKey: signingKeyOf(seed).publicKey, seed, label });
    },
  };
}

/** @returns null also without such a key */
async function activeKeyIdOf(desk: Desk, product: string): Promise<string | null> {
  const { items } = await desk.get<z.output<typeof ProductKeysView>>(at`products/${product}/keys`);
  return items.find(({ status }) => status === 'ACTIVE')?.keyId ?? null;
}

async function registryThere(desk: Desk, product: string): Promise<KeyRegistry | null> {
  const path = at`products/${product}/keys`;
  const found = await desk.get(path).catch(unlessMissing);
  if (found === null) return null;
  const activeKeyId = await activeKeyIdOf(desk, product);
  const send = async (body: object) =>
    shapeOf((await desk.post<{ key: z.output<typeof SigningKeyView> }>(path, body)).key);
  const named = (label: string | null) => (label === null ? {} : { label });
  return {
    activeKeyId,
    async register({ publicKey, seed, label, minisignId = null }) {
      if (seed !== null) throw new Error('a private key would travel');
      const form = minisignId === null ? 'base64' : 'minisign';
      return send({ publicKey: formatPublicKey(publicKey, form, minisignId), ...named(label) });
    },
    generate: (label) => send({ generate: true, ...named(label) }),
  };
}

/** What a message calls the place that lacks a product. */
export const placeOf = async (cli: Cli): Promise<string> =>
  (await serverAsked(cli)) === null ? 'this data directory has no product' : 'the server has no product';

/** Neither a server nor a database is there that could know products. */
export const isAway = async (cli: Cli): Promise<boolean> =>
  (await serverAsked(cli)) === null && !(await hasDatabase(cli));

/** A server's database is asked; a SQLite file that is missing means that there is no installation yet. */
async function hasDatabase(cli: Cli): Promise<boolean> {
  const { url } = (await cli.config()).config.database;
  return url.startsWith('sqlite:') ? existsSync(url.slice('sqlite:'.length)) : true;
}

/** Of --server-held where no product is that could have the key. */
export async function heldNowhere(cli: Cli, product: string): Promise<CliError> {
  const isHere = (await serverAsked(cli)) === null;
  return usageError(
    isHere
      ? `--server-held needs a database that contains the product '${product}'`
      : `--server-held needs the product '${product}', which the server does not have`,
    `appctl product create --name ${product} --slug ${product}`,
  );
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
