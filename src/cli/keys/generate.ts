import { isoTime, systemClock } from '#kernel/clock.ts';
import * as ed25519 from '#kernel/ed25519.ts';
import { encodePrivateKey } from '#signing/keys/key-encoding.ts';
import { publicKeyPath, writeKeyPair } from '#signing/keys/key-file.ts';
import { type KeyShape, keyShape } from '#signing/keys/key-shape.ts';
import { planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError, notFoundError, usageError } from '../frame/errors.ts';
import { shellWord } from '../printed-text.ts';
import { keyCard } from './key-card.ts';
import { tryKeyFiles } from './key-outputs.ts';
import { newPassphrase } from './passphrase.ts';
import { requireComment, requireSlug } from './product-asked.ts';
import { heldNowhere, isAway, type KeyRegistry, placeOf, withKeyRegistry } from './registry.ts';

const FILE_OPTIONS = [
  'out',
  'passphrase-file',
  'passphrase-stdin',
  'passphrase-env',
  'no-passphrase',
  'force',
];

/** `appctl keys generate`: in a file, or with --server-held in the database. */
export async function generateKey(cli: Cli): Promise<void> {
  const product = requireSlug(cli);
  requireComment(cli);
  const answer = await withKeyRegistry(cli, product, async (registry) => {
    if (cli.flag('server-held')) return generateServerHeld(cli, product, registry);
    if (registry === null) await refuseUnknown(cli, product);
    return generateFiles(cli, product, registry);
  });
  await cli.out.value(planned(cli, answer), keyCard(answer));
}

/**
 * A second key beside the one that signs is nearly always the wrong command: nothing would lead programs to it.
 *
 * @throws CliError (5)
 */
function refuseSecond(cli: Cli, product: string, registry: KeyRegistry | null): void {
  const active = registry?.activeKeyId ?? null;
  if (active === null || cli.flag('next')) return;
  throw conflictError(
    `${product} already has an active signing key, ${active}`,
    `to change keys: appctl keys rotate --product ${product}\nto make a key first and rotate to it later, add --next`,
  );
}

/**
 * A product that an installation does not know is a slip of the hand: a key without one is made where none is.
 *
 * @throws CliError not found (3)
 */
async function refuseUnknown(cli: Cli, product: string): Promise<void> {
  if (await isAway(cli)) return;
  throw notFoundError(
    `${await placeOf(cli)} '${product}'`,
    `appctl product create --name ${product} --slug ${product}`,
  );
}

/**
 * The files come first: a key that is registered but was never written could not sign anything.
 *
 * @param registry null when there is no database with the product
 */
async function generateFiles(cli: Cli, product: string, registry: KeyRegistry | null) {
  refuseSecond(cli, product, registry);
  const path = cli.option('out') ?? `${product}.key`;
  const files = { privateKeyFile: path, publicKeyFile: publicKeyPath(path) };
  tryKeyFiles(path, cli.flag('force'));
  const passphrase = await newPassphrase(cli);
  const encrypted = passphrase !== null;
  const createdAt = isoTime(systemClock.epochMs());
  const seed = ed25519.generateSeed();
  const { publicKey } = ed25519.signingKeyOf(seed);
  const comment = cli.option('comment') ?? null;
  const unregistered = { product, status: null, createdAt, encrypted, registered: false, serverHeld: false };
  if (cli.dryRun) return { ...keyShape(publicKey, unregistered), ...files };
  const texts = {
    privateText: await encodePrivateKey(seed, passphrase, { comment, createdAt }),
    publicText: ed25519.publicKeyToPem(publicKey),
  };
  await writeKeyPair(path, texts, cli.flag('force'));
  cli.note(`wrote ${files.privateKeyFile} and ${files.publicKeyFile}`);
  const key =
    (await registry?.register({ publicKey, seed: null, label: comment })) ??
    keyShape(publicKey, unregistered);
  if (!key.registered) {
    cli.note(`not registered: ${await placeOf(cli)} '${product}'`);
    cli.next(`appctl keys import ${shellWord(files.publicKeyFile)} --product ${product}`);
  }
  tellNext(cli, key, path);
  return { ...key, encrypted, ...files };
}

/** A NEXT key signs nothing before the active one has named it. */
function tellNext(cli: Cli, { product, keyId, status }: KeyShape, path: string): void {
  cli.next(
    status === 'NEXT'
      ? `appctl keys rotate --product ${product} --to ${keyId}`
      : `appctl release sign BUNDLE --key ${shellWord(path)}`,
  );
}

async function generateServerHeld(
  cli: Cli,
  product: string,
  registry: KeyRegistry | null,
): Promise<KeyShape> {
  const clash = FILE_OPTIONS.find((name) => cli.given(name));
  if (clash !== undefined)
    throw usageError(`--${clash} cannot be used with --server-held: no file is written`);
  if (registry === null) {
    throw await heldNowhere(cli, product);
  }
  refuseSecond(cli, product, registry);
  if (cli.dryRun) {
    const { publicKey } = ed25519.signingKeyOf(ed25519.generateSeed());
    const createdAt = isoTime(systemClock.epochMs());
    const plan = { product, status: null, createdAt, encrypted: true, registered: false, serverHeld: true };
    return keyShape(publicKey, plan);
  }
  return registry.generate(cli.option('comment') ?? null);
}
