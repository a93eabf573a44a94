import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { isFarAhead, isoTime, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { writePrivateFile } from '#kernel/private-files.ts';
import { readBackupNote } from '../installation/index.ts';
import { Sidecar } from './manifest.ts';
import { isOwnLabel, type NameParts, partsOfName, sidecarName } from './names.ts';
import { type BackupPlace, backupFolder, openBackupPlace } from './place.ts';

const MOST_SIDECAR_BYTES = 65_536;

/** How the names of archives begin. */
const ARCHIVES = 'appctl-backup-';

/** A backup in a place; what has no readable sidecar is known by its name alone, and counts as not verified. */
export interface KnownBackup {
  readonly file: string;
  readonly createdAt: string;
  readonly sizeBytes: number;
  readonly label: string | null;
  readonly encrypted: boolean;
  /** Null where the file beside it is missing or unreadable. */
  readonly sidecar: Sidecar | null;
  /** It can be relied on. */
  readonly verified: boolean;
}

/** The backups of a place, the newest first. */
export async function listBackups(place: BackupPlace): Promise<KnownBackup[]> {
  const sizes = new Map<string, number>();
  for await (const { name, sizeBytes } of place.list(ARCHIVES)) sizes.set(name, sizeBytes);
  const found: KnownBackup[] = [];
  for (const [file, sizeBytes] of sizes) {
    const parts = partsOfName(file);
    if (parts === null) continue;
    const sidecar = sizes.has(sidecarName(file)) ? await readSidecar(place, file) : null;
    found.push(knownBackup({ file, sizeBytes, parts, sidecar }));
  }
  return found.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
}

/** What is known of an archive by its name and what stands beside it. */
export function knownBackup({
  file,
  sizeBytes,
  parts,
  sidecar,
}: Pick<KnownBackup, 'file' | 'sizeBytes' | 'sidecar'> & { readonly parts: NameParts }): KnownBackup {
  // With another size it is not what was verified.
  const isOwn = sidecar?.sizeBytes === sizeBytes && isNamedAfter(sidecar.createdAt, parts.createdAt);
  const own = isOwn ? sidecar : null;
  const createdAt = own?.createdAt ?? parts.createdAt;
  return {
    file,
    sizeBytes,
    ...parts,
    createdAt,
    sidecar: own,
    verified: own !== null && own.verifiedAt !== null,
  };
}

/** Several backups of one second have the names of the seconds after it. */
const LATEST_NAME_MS = 60_000;

/** Whether a name says the moment of a backup: otherwise one file may pass for the newest while its name is old. */
function isNamedAfter(createdAt: string, named: string): boolean {
  const laterMs = Date.parse(named) - Date.parse(createdAt);
  return laterMs > -1000 && laterMs <= LATEST_NAME_MS;
}

/** Size of what lies in a place under a name; null for nothing. */
export async function sizeInPlace(place: BackupPlace, name: string): Promise<number | null> {
  for await (const found of place.list(name)) if (found.name === name) return found.sizeBytes;
  return null;
}

/** What stands beside an archive; null where nothing readable does. */
export async function readSidecar(place: BackupPlace, file: string): Promise<Sidecar | null> {
  const bytes = await place.read(sidecarName(file), [0, MOST_SIDECAR_BYTES - 1]);
  if (bytes === null) return null;
  return parsedSidecar(await text(bytes), file);
}

function parsedSidecar(json: string, file: string): Sidecar | null {
  try {
    const sidecar = Sidecar.parse(JSON.parse(json));
    return sidecar.file === file ? sidecar : null;
  } catch {
    return null;
  }
}

/** @returns of an archive at a path; null where nothing readable stands beside it */
export function readSidecarBeside(path: string, file: string): Sidecar | null {
  try {
    return parsedSidecar(readFileSync(sidecarName(path), 'utf8'), file);
  } catch {
    return null;
  }
}

export const sidecarText = (sidecar: Sidecar): string => `${JSON.stringify(sidecar, null, 2)}\n`;

/** Writes what stands beside an archive: from then on it counts. @param work folder for a file on its way */
export async function putSidecar(place: BackupPlace, sidecar: Sidecar, work: string): Promise<void> {
  const written = sidecarText(sidecar);
  const path = join(work, 'sidecar.json');
  await writeFile(path, written, { mode: 0o600 });
  await place.put(sidecarName(sidecar.file), {
    path,
    size: Buffer.byteLength(written),
    sha256: sha256Hex(written),
  });
  await rm(path, { force: true });
}

/** Removes an archive; what stands beside it goes first, so that none is left that counts and is not there. */
export async function removeBackup(place: BackupPlace, file: string): Promise<void> {
  await place.remove(sidecarName(file));
  await place.remove(file);
}

/** What is known of the newest verified backup. */
export interface LatestBackup {
  /** ISO, the moment of which it is. */
  readonly createdAt: string;
  /** Where it is, without secrets. */
  readonly target: string;
  readonly sizeBytes: number;
  readonly encrypted: boolean;
}

type Noted = Pick<Config, 'dataDir'>;
const noteOf = ({ dataDir }: Noted): string => join(dataDir, 'last-backup');

/** Notes the newest backup in the data directory, so that nobody has to ask a bucket for it. */
export function noteBackup(config: Noted, latest: LatestBackup): void {
  const before = readNote(config);
  const nowMs = systemClock.epochMs();
  if (before !== null && before.createdAt > latest.createdAt && !isFarAhead(before.createdAt, nowMs)) return;
  writePrivateFile(noteOf(config), `${JSON.stringify(latest, null, 2)}\n`);
}

function readNote(config: Noted): LatestBackup | null {
  try {
    const note = JSON.parse(readFileSync(noteOf(config), 'utf8')) as LatestBackup;
    return Number.isNaN(Date.parse(note.createdAt))
      ? null
      : { ...note, createdAt: isoTime(Date.parse(note.createdAt)) };
  } catch {
    return null;
  }
}

/** What the note names lay in the folder of backups, and was removed since: nobody can restore it. */
const isGone = ({ target }: LatestBackup, folder: string): boolean =>
  dirname(target) === resolve(folder) && !existsSync(target);

/**
 * The newest verified backup of an installation: by the note of this data directory and, where that is a folder, by
 * what lies in the place. A bucket is not asked, since pages and `status` wait for the answer.
 */
export async function latestBackup(
  config: Pick<Config, 'dataDir' | 'backup' | 'storage'>,
  installation: string | null = null,
): Promise<LatestBackup | null> {
  const noted = readNote(config);
  const folder = backupFolder(config);
  if (folder === null) return noted;
  const note = noted === null || isGone(noted, folder) ? null : noted;
  const place = await openBackupPlace(config);
  const all = await listBackups(place).catch(() => []);
  const newest = all.find(
    ({ sidecar, label, verified }) =>
      verified && !isOwnLabel(label) && (installation === null || sidecar?.installation === installation),
  );
  if (!newest || (note !== null && note.createdAt >= newest.createdAt)) return note;
  const { createdAt, sizeBytes, encrypted, file } = newest;
  return { createdAt, sizeBytes, encrypted, target: join(place.display, file) };
}

/**
 * The newest verified backup of an installation, whichever of its servers made it.
 *
 * @param ctx of a database that has the schema of this program; null where there is none
 */
export async function newestBackup(
  config: Pick<Config, 'dataDir' | 'backup' | 'storage'>,
  ctx: Pick<Ctx, 'db'> | null,
): Promise<LatestBackup | null> {
  const here = await latestBackup(config);
  const told = ctx === null ? null : await readBackupNote(ctx);
  return told !== null && (here === null || told.createdAt > here.createdAt) ? told : here;
}
