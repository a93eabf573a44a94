import { isoTime, systemClock } from '#kernel/clock.ts';
import { publicKeyToPem, requirePublicKey, signingKeyOf } from '#kernel/ed25519.ts';
import { AppError } from '#kernel/errors.ts';
import { decodeForeignKey, encodePrivateKey, looksPrivate } from '#signing/keys/key-encoding.ts';
import { publicKeyPath, readPrivateFile, readSmallFile, writeKeyPair } from '#signing/keys/key-file.ts';
import { keyShape } from '#signing/keys/key-shape.ts';
import { statedMinisignId } from '#signing/keys/minisign-key.ts';
import type { Passphrase } from '#signing/keys/passphrase.ts';
import type { PrivateKey } from '#signing/keys/private-key.ts';
import { parsePublicKeys } from '#signing/keys/public-key-text.ts';
import { planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { serverAsked } from '../remote/asked.ts';
import { keyCard } from './key-card.ts';
import { tryKeyFiles } from './key-outputs.ts';
import { askPassphrase, givenNewPassphrase, newPassphrase, warnOfWeakness } from './passphrase.ts';
import { requireComment, requireSlug } from './product-asked.ts';
import { heldNowhere, type KeyRegistry, placeOf, withKeyRegistry } from './registry.ts';

/** A key that was read: `opened` is null for a public key, `used` the passphrase that opened a private one. */
interface ReadKey {
  readonly publicKey: Buffer;
  readonly opened: PrivateKey | null;
  readonly used: Passphrase | null;
  readonly minisignId: string | null;
}

/** `appctl keys import FILE`: registers a key that was made elsewhere, and stores a private one in our own form. */
export async function importKey(cli: Cli): Promise<void> {
  const product = requireSlug(cli);
  requireComment(cli);
  const out = cli.option('out');
  if (out !== undefined && cli.flag('server-held'))
    throw usageError('--out cannot be used with --server-held');
  if (cli.flag('server-held') && (await serverAsked(cli)) !== null) throw neverTravels();
  if (out !== undefined) tryKeyFiles(out, cli.flag('force'));
  const key = await distrusting(() => readKey(cli, cli.argument('file')));
  refusePublic(cli, key);
  const answer = await withKeyRegistry(cli, product, (registry) => store(cli, product, key, registry));
  await cli.out.value(planned(cli, answer), keyCard(answer));
}

/** Who reads a private key here must not send it away: a server makes the keys that it holds. */
const neverTravels = () =>
  usageError(
    'a private key never leaves this machine',
    'leave out --server-held, which registers the public half; or: appctl keys generate --server-held',
  );

async function readKey(cli: Cli, path: string): Promise<ReadKey> {
  const text = path === '-' ? await cli.readText('FILE', '-') : await readSmallFile(path);
  if (text === null) throw usageError(`file ${path} was not found`);
  if (cli.flag('public') || !(looksPrivate(text) || isBareSeed(text))) {
    const publicKey = requirePublicKey(parsePublicKeys(text)[0]);
    return { publicKey, opened: null, used: null, minisignId: statedMinisignId(text) };
  }
  const secret = path === '-' ? text : await readPrivateFile(path);
  let used: Passphrase | null = null;
  const opened = await decodeForeignKey(secret, async () => {
    used = await askPassphrase(cli)();
    return used;
  });
  const { publicKey } = signingKeyOf(opened.seed);
  return { publicKey, opened, used, minisignId: opened.minisignId };
}

/** 32 bytes in hex or base64: a seed, unless --public says that it is a public key. */
const isBareSeed = (text: string): boolean => /^([0-9a-f]{64}|[A-Za-z0-9+/]{43}=)$/i.test(text.trim());

/** What is no key, or none that a verifier may accept, is a verification that failed (cli 3.4). */
async function distrusting<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'INVALID_KEY') throw error;
    const { hint, ...details } = error.details;
    throw new CliError(exits.verificationFailed, error.code, error.message, {
      hint: typeof hint === 'string' ? hint : null,
      details,
    });
  }
}

function refusePublic(cli: Cli, { opened }: ReadKey): void {
  const lost = ['out', 'server-held'].find((name) => cli.given(name));
  if (opened === null && lost !== undefined)
    throw usageError(`--${lost} needs a private key, but ${cli.argument('file')} contains a public one`);
}

async function store(cli: Cli, product: string, key: ReadKey, registry: KeyRegistry | null) {
  const serverHeld = cli.flag('server-held');
  if (serverHeld && registry === null) {
    throw await heldNowhere(cli, product);
  }
  const createdAt = key.opened?.createdAt ?? isoTime(systemClock.epochMs());
  const files = await writeFiles(cli, key, createdAt);
  const facts = { product, createdAt, encrypted: files.encrypted || serverHeld };
  const { encrypted: _, ...written } = files;
  if (cli.dryRun || registry === null) {
    if (registry === null) await noteUnregistered(cli, product, key, files);
    return {
      ...keyShape(key.publicKey, { ...facts, status: null, registered: false, serverHeld }),
      ...written,
    };
  }
  const registered = await registry.register({
    publicKey: key.publicKey,
    seed: serverHeld ? (key.opened?.seed ?? null) : null,
    label: cli.option('comment') ?? key.opened?.comment ?? null,
    minisignId: key.minisignId,
  });
  tellWhatNext(cli, registered.status, product, registered.keyId);
  return { ...registered, encrypted: registered.encrypted || files.encrypted, ...written };
}

/** Stores a private key in our own form when --out asks for it; a key keeps the passphrase that it had. */
async function writeFiles(cli: Cli, { opened, used, publicKey }: ReadKey, createdAt: string) {
  const path = cli.option('out');
  if (path === undefined || opened === null) return { encrypted: opened?.encrypted ?? false };
  const passphrase = await passphraseForStorage(cli, used);
  const files = { privateKeyFile: path, publicKeyFile: publicKeyPath(path) };
  if (!cli.dryRun) {
    const notes = {
      comment: cli.option('comment') ?? opened.comment,
      createdAt,
      minisignId: opened.minisignId,
    };
    const privateText = await encodePrivateKey(opened.seed, passphrase, notes);
    await writeKeyPair(path, { privateText, publicText: publicKeyToPem(publicKey) }, cli.flag('force'));
    cli.note(`wrote ${files.privateKeyFile} and ${files.publicKeyFile}`);
  }
  return { ...files, encrypted: passphrase !== null };
}

async function passphraseForStorage(cli: Cli, used: Passphrase | null): Promise<Passphrase | null> {
  if (cli.flag('no-passphrase')) return null;
  const given = (await givenNewPassphrase(cli)) ?? used;
  if (given === null) return newPassphrase(cli);
  warnOfWeakness(cli, given);
  return given;
}

async function noteUnregistered(
  cli: Cli,
  product: string,
  { opened }: ReadKey,
  files: object,
): Promise<void> {
  const place = await placeOf(cli);
  const stored = 'privateKeyFile' in files ? '' : '; nothing was stored';
  cli.note(`not registered: ${place} '${product}'${stored}`);
  if (stored !== '' && opened !== null)
    cli.next(`appctl keys import FILE --product ${product} --out ${product}.key`);
}

function tellWhatNext(cli: Cli, status: string | null, product: string, keyId: string): void {
  if (status === 'NEXT') cli.next(`appctl keys rotate --product ${product} --to ${keyId} --key OLD.key`);
  if (status === 'RETIRED')
    cli.warn(`the key ${keyId} is retired: it verifies older releases and signs no new ones`);
}
