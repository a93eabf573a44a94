import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isoTime, systemClock } from '#kernel/clock.ts';
import type { ReleaseCreateInput } from '#licensing/releases/releases/index.ts';
import { bytesToRead, signBundle } from '#signing/releases/bundle-signature.ts';
import type { MinisignSigner } from '#signing/releases/minisign-signature.ts';
import type { WrittenSignature } from '#signing/releases/signature-form.ts';
import { at, type Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { bundleSource } from './bundle-file.ts';
import { deliver, orNoDraft, readingWithProgress } from './deliver.ts';
import { flagOf } from './flags.ts';
import { type DeskProduct, registerKey } from './product-keys.ts';
import { nextSequence } from './siblings.ts';
import { statementInput } from './statement.ts';
import { actOn, type DeskRelease, type DeskSignature, makeDraft, signOn } from './twin.ts';

/** What is shipped, and what is there already. */
export interface Shipment {
  /** Of the bundle. */
  readonly path: string;
  /** Of the bundle, in bytes. */
  readonly size: number;
  readonly key: MinisignSigner;
  /** The key becomes the first one of its product. */
  readonly isFirstKey: boolean;
  readonly input: ReleaseCreateInput;
  /** From when on clients are offered it, ISO 8601 UTC; empty: at once. */
  readonly when: { at?: string };
  readonly isDraft: boolean;
  readonly product: DeskProduct;
  readonly siblings: readonly DeskRelease[];
  /** What an earlier run left behind, or null. */
  readonly draft: DeskRelease | null;
}

/**
 * Makes the draft, signs, uploads and publishes. Until the bundle has arrived a failure leaves no draft behind; later
 * ones leave a draft that the next run takes up.
 */
export async function carryOut(cli: Cli, desk: Desk, shipment: Shipment): Promise<DeskRelease> {
  const { product, key, path } = shipment;
  const draft = await draftOf(desk, shipment);
  const prepare = async () => {
    if (shipment.isFirstKey) await registerKey(desk, product, key);
    const signed = await signFor(cli, draft, shipment, false);
    const { size, sha256 } = signed;
    if (draft.bundleSha256 !== sha256)
      await deliver(cli, desk, draft.id, bundleSource(path, { size, sha256 }));
    return signatureOf(signed);
  };
  const signature = await (shipment.draft === null ? orNoDraft(desk, draft.id, prepare) : prepare());
  const release = await signOn(desk, draft.id, signature);
  return shipment.isDraft ? release : actOn(desk, release.id, 'publish', shipment.when);
}

/** What carryOut would answer. The draft is rehearsed, the bundle read and signed; nothing is written or sent. */
export async function plan(cli: Cli, desk: Desk, shipment: Shipment): Promise<DeskRelease> {
  const draft = await draftOf(desk, shipment);
  const { file, size, sha256, signature, keyId } = await signFor(cli, draft, shipment, true);
  const signed = { ...draft, bundleFilename: file, bundleSize: size, bundleSha256: sha256, signature, keyId };
  if (shipment.isDraft) return signed;
  const now = isoTime(systemClock.epochMs());
  return { ...signed, state: 'PUBLISHED', publishedAt: shipment.when.at ?? now };
}

async function draftOf(desk: Desk, { draft, input }: Shipment): Promise<DeskRelease> {
  if (draft === null) return makeDraft(desk, input);
  const { productId, version, platform, arch, ...changes } = input;
  const body = { ...changes, minFromVersion: changes.minFromVersion ?? null };
  return (await desk.patch<{ release: DeskRelease }>(at`releases/${draft.id}`, body)).release;
}

/** Signs the bundle for what the draft says, and writes FILE.sig.json where that can be done. */
async function signFor(
  cli: Cli,
  draft: DeskRelease,
  { path, size, key, siblings }: Shipment,
  isPlan: boolean,
): Promise<WrittenSignature> {
  const now = isoTime(systemClock.epochMs());
  const sequence = cli.integer('sequence') ?? nextSequence(siblings, draft, now);
  const outDir = cli.option('out-dir') ?? null;
  const isWritten = outDir !== null || (await isWritable(dirname(path)));
  if (!isWritten) cli.warn(`${path}.sig.json was not written: its folder is not open to this user`);
  const sparkle = flagOf(cli, 'sparkle');
  const bytes = bytesToRead(size, 'appctl', sparkle);
  return readingWithProgress(cli, `sign ${basename(path)}`, bytes, (onBytes) =>
    signBundle(path, {
      key,
      now,
      format: 'appctl',
      comment: cli.option('comment') ?? null,
      expectedSha256: cli.option('sha256') ?? null,
      statement: statementInput(draft, sequence, cli.integer('statement-days')),
      tauri: flagOf(cli, 'tauri'),
      sparkle,
      outDir,
      force: cli.flag('force'),
      dryRun: isPlan || !isWritten,
      onBytes,
    }),
  );
}

/** What of a signature the desk keeps. */
const signatureOf = ({
  signature,
  keyId,
  statement,
  statementSignature,
  extra,
}: WrittenSignature): DeskSignature => ({ signature, keyId, statement, statementSignature, extra });

/** The user of the data directory, whom a process of root becomes, need not be the one who built the bundle. */
const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
