import { freeBytes, RESERVE_BYTES } from '#kernel/storage/room.ts';
import type { Desk } from '../desk/desk.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { sizeText } from '../frame/progress.ts';

/**
 * Makes sure that a bundle will be taken, before it is read and signed. What a server takes, it says when it is asked.
 * A bucket takes the bytes from this machine's disk, where they are received first.
 *
 * @param bytes of the bundle
 * @throws usage error (2) above the upload limit, CliError 1 without room, StorageFailure when nothing can be written
 */
export async function checkRoom({ local }: Desk, bytes: number): Promise<void> {
  if (local === null) return;
  const { ctx, config } = local;
  if (bytes > ctx.uploadLimitBytes) {
    throw usageError(
      `the bundle has ${sizeText(bytes)}, but at most ${sizeText(ctx.uploadLimitBytes)} is accepted`,
      'raise http.upload_limit (APPCTL_UPLOAD_LIMIT)',
    );
  }
  await ctx.storage.probe();
  const folder = ctx.storage.kind === 'file' ? config.storage.bundlesDir : config.dataDir;
  const free = await freeBytes(folder);
  if (free >= bytes + RESERVE_BYTES) return;
  throw new CliError(
    exits.unexpected,
    'NO_SPACE',
    `the disk of ${folder} has ${sizeText(free)} left, too little for a bundle of ${sizeText(bytes)} and ${sizeText(RESERVE_BYTES)} to spare`,
    { hint: 'free up space on it, or set storage.bundles_dir to a larger disk' },
  );
}
