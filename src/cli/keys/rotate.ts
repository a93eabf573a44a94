import { stat } from 'node:fs/promises';
import { addSeconds, isoTime, systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, publicKeyToPem, signingKeyOf } from '#kernel/ed25519.ts';
import { rehearse } from '#kernel/rehearse.ts';
import type { NewKey, Rotated, Rotation } from '#licensing/catalog/keys/index.ts';
import type { Product } from '#licensing/catalog/products/index.ts';
import { continuityParts } from '#signing/keys/continuity.ts';
import { encodePrivateKey } from '#signing/keys/key-encoding.ts';
import { writeKeyPair } from '#signing/keys/key-file.ts';
import { parseKeyReference } from '#signing/keys/key-reference.ts';
import type { KeyShape } from '#signing/keys/key-shape.ts';
import type { Passphrase } from '#signing/keys/passphrase.ts';
import { card } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { humanTime } from '../frame/times.ts';
import { signingKeyOfFlag } from '../release/key-source.ts';
import { shellWord } from '../shell-words.ts';
import { timeAsked } from '../time-asked.ts';
import { tryKeyFiles } from './key-outputs.ts';
import { followingPassphrase } from './passphrase.ts';
import { requireComment, requireSlug } from './product-asked.ts';
import { type SigningKeys, withSigningKeys } from './registry.ts';

/** Where the private part of a new key goes: a file, or null for the database. */
type Place = { path: string; passphrase: Passphrase | null } | null;

/** The key that shall take over; `place` is undefined for one that is registered already. */
interface NextKey {
  readonly key: NewKey;
  readonly seed: Buffer | null;
  readonly place: Place | undefined;
}

/**
 * `appctl keys rotate`: makes the key that takes over, and has the old one sign so. Everything is tried before the files
 * are written, and they come before the registration: a key that is registered and was never written signs nothing.
 */
export async function rotateKey(cli: Cli): Promise<void> {
  const slug = requireSlug(cli);
  requireComment(cli);
  const old = cli.given('key') ? await signingKeyOfFlag(cli) : null;
  await withSigningKeys(cli, async (signingKeys, ctx) => {
    const { get } = await import('#licensing/catalog/products/index.ts');
    const product = await get(ctx, slug);
    const next = await nextKey(cli, ctx, signingKeys, product).catch(async (error: unknown) => {
      // The file that is in the way may be that of a rotation under way, and then that is what matters.
      if (error instanceof CliError && error.details.reason === 'FILE_EXISTS')
        await signingKeys.requireNoRotation(ctx, product);
      throw error;
    });
    const rotation: Rotation = { next: next.key, old, activateAt: activationAsked(cli, ctx.now()) };
    const plan = await rehearse(ctx, (ctx) => signingKeys.rotate(ctx, product, rotation));
    if (cli.dryRun) return answer(cli, plan, next, rotation);
    const files = await writeFiles(cli, next);
    await answer(cli, await signingKeys.rotate(ctx, product, rotation), next, rotation, files);
  });
}

function activationAsked(cli: Cli, now: string): string {
  return timeAsked(cli, 'activate-at', 'start') ?? addSeconds(now, cli.seconds('overlap') ?? 0);
}

async function nextKey(cli: Cli, ctx: Ctx, signingKeys: SigningKeys, product: Product): Promise<NextKey> {
  const label = cli.option('comment') ?? null;
  const to = cli.option('to');
  if (to !== undefined) {
    const lost = ['out', 'server-held', 'comment'].find((name) => cli.given(name));
    if (lost !== undefined) throw usageError(`--${lost} is for a new key, and --to names one that is there`);
    const { publicKey } = await signingKeys.find(ctx, to, product.id);
    return {
      key: { publicKey: Buffer.from(publicKey, 'base64'), seed: null, label },
      seed: null,
      place: undefined,
    };
  }
  const place = await placeAsked(cli, product.slug);
  const seed = generateSeed();
  const { publicKey } = signingKeyOf(seed);
  return { key: { publicKey, seed: place === null ? seed : null, label }, seed, place };
}

/** A new key goes where the old one is, unless flags say otherwise: a server-held key is followed by another. */
async function placeAsked(cli: Cli, slug: string): Promise<Place> {
  const out = cli.option('out');
  if (out !== undefined && cli.flag('server-held')) throw usageError('--out does not fit --server-held');
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
  throw usageError(`${path} is the file of the old key, which signs until then`, '--out with another file');
}

async function writeFiles(cli: Cli, { place, seed, key }: NextKey) {
  if (!place || seed === null) return {};
  const notes = { comment: key.label, createdAt: isoTime(systemClock.epochMs()) };
  const texts = {
    privateText: await encodePrivateKey(seed, place.passphrase, notes),
    publicText: publicKeyToPem(key.publicKey),
  };
  const files = await writeKeyPair(place.path, texts, cli.flag('force'));
  cli.note(`wrote ${files.privateKeyFile} and ${files.publicKeyFile}`);
  return files;
}

async function answer(
  cli: Cli,
  { old, next, continuity }: Rotated,
  { place }: NextKey,
  { activateAt }: Rotation,
  files: { privateKeyFile?: string; publicKeyFile?: string } = {},
): Promise<void> {
  const made =
    place === undefined ? next : { ...next, encrypted: place === null || place.passphrase !== null };
  const value = { old, next: made, continuity: continuityParts(continuity), activateAt, ...files };
  const lines = [
    ['product', old.product],
    ['old key', `${old.keyId} (ACTIVE)`],
    ['next key', `${next.keyId} (NEXT)`],
    ['public key', next.publicKey],
    ['takes over', activateAt],
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
  cli.note(`Why: installed programs trust only the keys that are embedded in them. They learn the new key from a version that embeds both and that the old key signed.
Now: embed both public keys in the next version, and publish it for every platform, signed by the old key.
${when}: the new key takes over by itself, once such a version is published. There is nothing to run.
After that: sign with ${newKey}, and give the first release --min-from with the version that embeds both keys.`);
  cli.next(
    `appctl keys export ${next.keyId} --public`,
    `appctl release ship FILE --product ${product} --version VERSION --key ${oldKey}`,
  );
}
