import { stat } from 'node:fs/promises';
import type { z } from 'zod';
import { addSeconds, isoTime, systemClock } from '#kernel/clock.ts';
import { generateSeed, publicKeyToPem, type SigningKey, signingKeyOf } from '#kernel/ed25519.ts';
import { AppError } from '#kernel/errors.ts';
import type { ProductKeysView, RotationView, SigningKeyView } from '#licensing/catalog/keys/view.ts';
import { continuityParts, signContinuity } from '#signing/keys/continuity.ts';
import { encodePrivateKey } from '#signing/keys/key-encoding.ts';
import { writeKeyPair } from '#signing/keys/key-file.ts';
import { parseKeyReference } from '#signing/keys/key-reference.ts';
import type { KeyShape } from '#signing/keys/key-shape.ts';
import type { Passphrase } from '#signing/keys/passphrase.ts';
import { card } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk, timeAt } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { humanTime } from '../frame/times.ts';
import { shellWord } from '../printed-text.ts';
import { signingKeyOfFlag } from '../release/key-source.ts';
import { timeAsked } from '../time-asked.ts';
import { tryKeyFiles } from './key-outputs.ts';
import { followingPassphrase } from './passphrase.ts';
import { requireComment, requireSlug } from './product-asked.ts';
import { shapeOf, withKeys } from './twin.ts';

/** Where the private part of a new key goes: a file, or null for where the old one is held. */
type Place = { path: string; passphrase: Passphrase | null } | null;

/** The key that shall take over; `place` is undefined for one that is registered already. */
interface NextKey {
  /** As the operation takes it. */
  readonly asked: object;
  /** 32 raw bytes; null for one that is made where it is held, or that nobody knows. */
  readonly publicKey: Buffer | null;
  readonly seed: Buffer | null;
  readonly place: Place | undefined;
}

type Shown = z.output<typeof SigningKeyView>;
type Rotated = z.output<typeof RotationView>;

/**
 * `appctl keys rotate`: makes the key that takes over, and has the old one sign so. Everything is tried before the files
 * are written, and they come before the registration: a key that is registered and was never written signs nothing. A
 * private key that is in a file stays there: what it signs is all that a server gets.
 */
export async function rotateKey(cli: Cli): Promise<void> {
  const product = requireSlug(cli);
  requireComment(cli);
  const reference = cli.given('key') ? parseKeyReference(cli.required('key')) : null;
  const old = reference === null || reference.kind === 'store' ? null : await signingKeyOfFlag(cli);
  const oldKeyId = reference?.kind === 'store' ? reference.keyId : old?.keyId;
  await withKeys(cli, async (desk) => {
    const path = at`products/${product}/keys`;
    const { items } = await desk.get<z.output<typeof ProductKeysView>>(path);
    const now = timeAt(desk);
    const activateAt = activationAsked(cli, now);
    const common = { activateAt, ...(oldKeyId !== undefined && { oldKeyId }) };
    const next = await nextKey(cli, product, items).catch(async (error: unknown) => {
      // The file that is in the way may be that of a rotation under way, and then that is what matters.
      if (error instanceof CliError && error.details.reason === 'FILE_EXISTS')
        await requireNoRotation(desk, path, common);
      throw error;
    });
    const sign = (publicKey: Buffer, by: SigningKey) => ({
      continuity: signContinuity({ product, next: publicKey, activateAt }, by, now),
    });
    if (next.place === null && old !== null) {
      await requireNoRotation(desk, path, common);
      return rotateToHeld(cli, desk, path, { next, common, items, sign: (key) => sign(key, old) });
    }
    const signed = old !== null && next.publicKey !== null ? sign(next.publicKey, old) : {};
    const body = { ...next.asked, ...common, ...signed };
    const plan = await desk.post<Rotated>(`${path}/rotate`, body, { rehearse: true });
    if (cli.dryRun) return answer(cli, plan, next);
    const files = await writeFiles(cli, next);
    await answer(cli, await desk.post<Rotated>(`${path}/rotate`, body), next, files);
  });
}

interface ToHeld {
  readonly next: NextKey;
  readonly common: { readonly activateAt: string };
  readonly items: readonly Shown[];
  sign(publicKey: Buffer): { continuity: string };
}

/** A key in a file can sign about one that is held elsewhere once that one is made: it waits as NEXT until then. */
async function rotateToHeld(
  cli: Cli,
  desk: Desk,
  path: string,
  { next, common, items, sign }: ToHeld,
): Promise<void> {
  const { key } = await desk.post<{ key: Shown }>(path, next.asked);
  const { continuity } = sign(Buffer.from(key.publicKey, 'base64'));
  const { activateAt } = common;
  const old = items.find(({ status }) => status === 'ACTIVE');
  if (cli.dryRun && old !== undefined) {
    const planned = { ...key, activateAt, continuity: continuityParts(continuity) };
    return answer(cli, { old, next: planned, activateAt }, next);
  }
  const body = { ...common, nextKeyId: key.keyId, continuity };
  await answer(cli, await desk.post<Rotated>(`${path}/rotate`, body), next);
}

/** Throws what keeps any rotation from being planned: no ACTIVE key, another one than was named, one under way. */
async function requireNoRotation(desk: Desk, path: string, common: object): Promise<void> {
  const asked = { generate: true, ...common };
  await desk.post(`${path}/rotate`, asked, { rehearse: true }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.details.reason !== 'NOT_HELD') throw error;
  });
}

function activationAsked(cli: Cli, now: string): string {
  return timeAsked(cli, 'activate-at', 'start') ?? addSeconds(now, cli.seconds('overlap') ?? 0);
}

async function nextKey(cli: Cli, slug: string, known: readonly Shown[]): Promise<NextKey> {
  const label = cli.option('comment');
  const to = cli.option('to');
  if (to !== undefined) {
    const lost = ['out', 'server-held', 'comment'].find((name) => cli.given(name));
    if (lost !== undefined) throw usageError(`--${lost} is for a new key, but --to names an existing one`);
    const found = known.find(({ keyId }) => keyId === to);
    const publicKey = found ? Buffer.from(found.publicKey, 'base64') : null;
    return { asked: { nextKeyId: to }, publicKey, seed: null, place: undefined };
  }
  const place = await placeAsked(cli, slug);
  const named = label === undefined ? {} : { label };
  if (place === null) return { asked: { generate: true, ...named }, publicKey: null, seed: null, place };
  const seed = generateSeed();
  const { publicKey } = signingKeyOf(seed);
  return { asked: { publicKey: publicKey.toString('base64'), ...named }, publicKey, seed, place };
}

/** A new key goes where the old one is, unless flags say otherwise: a server-held key is followed by another. */
async function placeAsked(cli: Cli, slug: string): Promise<Place> {
  const out = cli.option('out');
  if (out !== undefined && cli.flag('server-held'))
    throw usageError('--out cannot be used with --server-held');
  const old = cli.given('key') ? parseKeyReference(cli.required('key')) : null;
  const isHeld = old === null || old.kind === 'store';
  if (cli.flag('server-held') || (isHeld && out === undefined)) return null;
  const path = out ?? `${slug}.next.key`;
  if (old?.kind === 'file') await refuseOldFile(old.path, path);
  tryKeyFiles(path, cli.flag('force'));
  return { path, passphrase: await followingPassphrase(cli) };
}

/** The old key signs until the new one takes over: not even --force may put the new one in its place. */
async function refuseOldFile(oldPath: string, path: string): Promise<void> {
  const [old, next] = await Promise.all([stat(oldPath), stat(path).catch(() => null)]);
  if (next === null || old.ino !== next.ino || old.dev !== next.dev) return;
  throw usageError(
    `${path} is the file of the old key, which still signs until then`,
    'choose another file with --out',
  );
}

async function writeFiles(cli: Cli, { place, seed, publicKey }: NextKey) {
  if (!place || seed === null || publicKey === null) return {};
  const notes = { comment: cli.option('comment') ?? null, createdAt: isoTime(systemClock.epochMs()) };
  const texts = {
    privateText: await encodePrivateKey(seed, place.passphrase, notes),
    publicText: publicKeyToPem(publicKey),
  };
  const files = await writeKeyPair(place.path, texts, cli.flag('force'));
  cli.note(`wrote ${files.privateKeyFile} and ${files.publicKeyFile}`);
  return files;
}

async function answer(
  cli: Cli,
  rotated: Rotated,
  { place }: NextKey,
  files: { privateKeyFile?: string; publicKeyFile?: string } = {},
): Promise<void> {
  const { activateAt } = rotated;
  const { continuity } = rotated.next;
  const [old, next] = [shapeOf(rotated.old), shapeOf(rotated.next)];
  const made =
    place === undefined ? next : { ...next, encrypted: place === null || place.passphrase !== null };
  const value = { old, next: made, continuity, activateAt, ...files };
  const lines = [
    ['product', old.product],
    ['old key', `${old.keyId} (ACTIVE)`],
    ['next key', `${next.keyId} (NEXT)`],
    ['public key', next.publicKey],
    ['takes over', activateAt],
    [
      'private key',
      files.privateKeyFile && `${files.privateKeyFile}, ${made.encrypted ? 'encrypted' : 'NOT ENCRYPTED'}`,
    ],
  ] as const;
  await cli.out.value(planned(cli, value), card(lines));
  noteChange(cli, `${next.keyId} takes over from ${old.keyId}, which signs until then`);
  if (!cli.dryRun && !cli.json) tellTheWay(cli, { old, next, activateAt, nextKey: files.privateKeyFile });
}

interface Way {
  old: KeyShape;
  next: KeyShape;
  /** ISO 8601 UTC. */
  activateAt: string;
  /** File of the new key; undefined when the server holds it. */
  nextKey: string | undefined;
}

/** What to do now and then, and why: an activation that comes too early leaves installed programs behind. */
function tellTheWay(cli: Cli, { old, next, activateAt, nextKey }: Way): void {
  const { product } = old;
  const oldKey = shellWord(cli.option('key') ?? `store:${old.keyId}`);
  const newKey = shellWord(nextKey ?? `store:${next.keyId}`);
  const when = humanTime(activateAt, systemClock.epochMs());
  cli.note(`Why: installed programs trust only the keys that are embedded in them. They learn the new key from a version that embeds both keys and is signed by the old key.
Now: embed both public keys in the next version, and publish it for every platform, signed by the old key.
${when}: the new key takes over automatically, once such a version is published. You do not need to run anything.
After that: sign with ${newKey}, and set --min-from of the first release to the version that embeds both keys.`);
  cli.next(
    `appctl keys export ${next.keyId} --public`,
    `appctl release ship FILE --product ${product} --version VERSION --key ${oldKey}${passphraseFlag(cli)}`,
  );
}

/** How the passphrase of the old key was given, for the next command that opens it. */
function passphraseFlag(cli: Cli): string {
  if (cli.flag('passphrase-stdin')) return ' --passphrase-stdin';
  const name = ['passphrase-file', 'passphrase-env'].find((one) => cli.given(one));
  return name === undefined ? '' : ` --${name} ${shellWord(cli.option(name) ?? '')}`;
}
