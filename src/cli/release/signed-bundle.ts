import { isoTime, systemClock } from '#kernel/clock.ts';
import type { SigningKey } from '#kernel/ed25519.ts';
import { type DetachedSignature, findSignature } from '#signing/releases/signature-file.ts';
import type { Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { usageError, verificationError } from '../frame/errors.ts';
import { bundleSource, readableBundle } from './bundle-file.ts';
import { digestShown } from './deliver.ts';
import { signingKeyOfFlag } from './key-source.ts';
import { nextSequence, siblingsOf } from './siblings.ts';
import { signedStatement, statementInput } from './statement.ts';
import type { BundleSource, DeskRelease, DeskSignature } from './twin.ts';

/** A bundle with what was signed about it; null when nobody signed it yet. */
export interface SignedBundle {
  readonly bundle: BundleSource;
  readonly signature: DeskSignature | null;
}

/** Where the signature of a bundle comes from: `--key`, or the file of `--sig`, or the one beside the bundle. */
export interface SignatureSource {
  readonly key: SigningKey | null;
  readonly sig: string | null;
}

/** Opens the key of `--key` first of all, so that a wrong passphrase is told at once. */
export async function signatureSource(cli: Cli): Promise<SignatureSource> {
  const key = cli.given('key') ? await signingKeyOfFlag(cli) : null;
  const lost = ['sequence', 'statement-days'].find((name) => cli.given(name));
  if (key === null && lost !== undefined) throw usageError(`--${lost} needs --key`);
  return { key, sig: cli.option('sig') ?? null };
}

/**
 * Reads a bundle and signs it, or finds its signature. Nothing is written.
 *
 * @param release the draft that it is for: the statement says what the draft says
 * @throws usage error (2) for a signature that was named and is not there, CliError 6 for one of another file
 */
export async function signedBundle(
  cli: Cli,
  desk: Desk,
  release: DeskRelease,
  path: string,
  { key, sig }: SignatureSource,
): Promise<SignedBundle> {
  const found = key === null ? await foundSignature(path, sig) : null;
  const digest = await digestShown(cli, path, await readableBundle(path, key !== null), key !== null);
  const sha256 = digest.sha256.toString('hex');
  const bundle = bundleSource(path, { size: digest.size, sha256 });
  if (key === null) return { bundle, signature: found && claimsOf(found, path, sha256) };
  const now = isoTime(systemClock.epochMs());
  const sequence = cli.integer('sequence') ?? nextSequence(await siblingsOf(desk, release), release, now);
  const input = statementInput(release, sequence, cli.integer('statement-days'));
  const signature = key.sign(digest.sha256).toString('base64');
  return { bundle, signature: { signature, keyId: key.keyId, ...signedStatement(input, digest, key) } };
}

async function foundSignature(path: string, sig: string | null): Promise<DetachedSignature | null> {
  const found = await findSignature(path, sig);
  if (found === 'MALFORMED') throw verificationError(`${sig ?? `${path}.sig.json`} contains no signature`);
  if (found === null && sig !== null) throw usageError(`--sig: file ${sig} was not found`);
  return found;
}

function claimsOf({ signature, claims }: DetachedSignature, path: string, sha256: string): DeskSignature {
  if (claims !== null && claims.sha256 !== sha256) {
    throw verificationError(
      `${path} is not the file that was signed`,
      `appctl release sign ${path} --key KEY --force`,
    );
  }
  return {
    signature: signature.toString('base64'),
    ...(claims !== null && {
      keyId: claims.keyId,
      statement: claims.statement,
      statementSignature: claims.statementSignature,
      extra: claims.extra,
    }),
  };
}
