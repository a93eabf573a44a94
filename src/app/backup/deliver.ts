import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isoTime } from '#kernel/clock.ts';
import { ensurePrivateFolder, writePrivateFile } from '#kernel/private-files.ts';
import { moveFile, removeSteadily, writeSteadily } from '#kernel/steady-file.ts';
import {
  archiveName,
  type BackupPlace,
  damaged,
  putSidecar,
  requireFreeBytes,
  type Sidecar,
  seal,
  sidecarName,
  sidecarText,
  sizeInPlace,
  type WorkFolder,
} from '#platform/backup/index.ts';
import type { Archive, BackupOptions, BackupOut, BackupWatcher } from './options.ts';

/** Encrypts the archive and reads back what was written. */
export async function sealedIfAsked(
  archive: Archive,
  { sealing }: BackupOptions,
  work: WorkFolder,
  watcher: BackupWatcher,
): Promise<Archive> {
  if (sealing === null) return archive;
  watcher.stage('encrypting', archive.size);
  const path = work.file('archive.tar.zst.age');
  requireFreeBytes(work.path, archive.size, 'the encrypted backup');
  const sum = createHash('sha256');
  let size = 0;
  await pipeline(
    await seal(createReadStream(archive.path), sealing),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        sum.update(chunk);
        size += chunk.byteLength;
        watcher.progress(size, archive.size);
        yield chunk;
      }
    },
    (chunks: AsyncIterable<Uint8Array>) => writeSteadily(path, chunks),
  );
  await removeSteadily(archive.path);
  const sha256 = sum.digest('hex');
  await requireSame(createReadStream(path), sha256);
  return { path, size, sha256 };
}

/** @throws AppError VERIFICATION_FAILED */
async function requireSame(stored: AsyncIterable<Uint8Array> | null, sha256: string): Promise<void> {
  const sum = createHash('sha256');
  if (stored !== null) for await (const chunk of stored) sum.update(chunk);
  if (stored === null || sum.digest('hex') !== sha256)
    throw damaged('what was stored is not what was written', 'check the disk, or the bucket, of backup.dir');
}

/** A name that is free: two backups of one second get different ones. */
export async function fileNameOf(
  { out, label, sealing }: BackupOptions,
  createdAt: string,
  place: BackupPlace | null,
  work: WorkFolder,
): Promise<string> {
  if (out.to === 'file') return basename(out.path);
  for (let at = Date.parse(createdAt); ; at += 1000) {
    const name = archiveName({ createdAt: isoTime(at), label, encrypted: sealing !== null });
    if (place === null) return name;
    // Claimed first: another process that stored under the name since then is seen.
    const claim = place.claim ? await place.claim(name) : undefined;
    if (claim === null) continue;
    if (claim !== undefined) work.owns(claim);
    if ((await sizeInPlace(place, name)) === null) return name;
  }
}

/** Puts a verified archive where it belongs, and what stands beside it. @returns where it is */
export async function deliver(
  out: BackupOut,
  place: BackupPlace | null,
  archive: Archive,
  sidecar: Sidecar,
  work: WorkFolder,
): Promise<string> {
  if (out.to === 'stream') {
    await out.send(archive.path);
    return '-';
  }
  if (out.to === 'file') {
    await moveTo(archive, out.path, work);
    writePrivateFile(sidecarName(out.path), sidecarText(sidecar));
    return out.path;
  }
  if (place === null) throw new Error('no place');
  await place.put(sidecar.file, archive);
  // A rename on one disk changes no byte.
  if (place.kind === 's3') await requireSame(await place.read(sidecar.file), archive.sha256);
  await putSidecar(place, sidecar, work.path);
  return place.kind === 'file' ? join(place.display, sidecar.file) : `${place.display}/${sidecar.file}`;
}

/** @param target may be on another disk; nobody sees it before all of it is there */
async function moveTo({ path, size, sha256 }: Archive, target: string, work: WorkFolder): Promise<void> {
  const folder = dirname(target);
  if (!existsSync(folder)) ensurePrivateFolder(folder);
  const part = join(folder, `.${basename(target)}.part`);
  await moveFile(path, target, {
    part,
    begins() {
      requireFreeBytes(folder, size, 'the backup');
      work.owns(part);
    },
    check: () => requireSame(createReadStream(part), sha256),
  });
  work.forget(part);
}
