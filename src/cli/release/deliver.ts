import { basename } from 'node:path';
import { type BundleDigest, digestBundle } from '#signing/releases/bundle-digest.ts';
import { at, type Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { CliError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import type { BundleSource, DeskRelease } from './twin.ts';

/**
 * Sends a bundle to the desk, with a progress bar, and makes sure that what arrived is what was read before.
 *
 * @throws CliError 6 for a file that changed in between
 */
export async function deliver(cli: Cli, desk: Desk, id: string, bundle: BundleSource): Promise<DeskRelease> {
  const { release } = await readingWithProgress(cli, `upload ${bundle.filename}`, bundle.size, (onBytes) =>
    desk.upload<{ release: DeskRelease }>(at`releases/${id}/bundle`, bundle, onBytes),
  );
  if (release.bundleSha256 === bundle.sha256) return release;
  throw new CliError(
    exits.verificationFailed,
    'VERIFICATION_FAILED',
    `${bundle.filename} changed while it was sent`,
    {
      hint: 'run it again when the file is complete',
      details: { reason: 'HASH_MISMATCH' },
    },
  );
}

/** Runs work for a draft that was made for it: when it fails, the draft is deleted, so that a next run can make it. */
export async function orNoDraft<T>(desk: Desk, id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // What went wrong is told; that the draft could not be deleted would only hide it.
    await desk.delete(at`releases/${id}`).catch(() => undefined);
    throw error;
  }
}

/**
 * Runs work that reads a file, with a progress bar.
 *
 * @param bytes that it reads in all
 */
export async function readingWithProgress<T>(
  cli: Cli,
  label: string,
  bytes: number,
  work: (onBytes: (done: number) => void) => Promise<T>,
): Promise<T> {
  const progress = await cli.byteProgress(label, bytes);
  try {
    return await work(progress.update);
  } finally {
    progress.stop();
  }
}

/** Hashes a bundle, with a progress bar. @param isSigned refuses a symbolic link. Throws as digestBundle. */
export const digestShown = (cli: Cli, path: string, size: number, isSigned: boolean): Promise<BundleDigest> =>
  readingWithProgress(cli, `read ${basename(path)}`, size, (onBytes) =>
    digestBundle(path, { onBytes, isSigned }),
  );
