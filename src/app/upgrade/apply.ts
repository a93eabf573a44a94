import { chmodSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildInfo } from '#kernel/build-info.ts';
import { isoTime, systemClock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import { syncFolder } from '#kernel/private-files.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';
import { availableBytes } from '#kernel/storage/room.ts';
import type { Restarted } from '../handover.ts';
import type { Feed, Offer } from './feed.ts';
import { isUnfinished, type Journal, readJournal, writeJournal } from './journal.ts';
import { conflict, nameAlso, type Place, replacedMeanwhile, requireWritable } from './place.ts';
import { appliedMigrations, askVersion, backUp, type Installation, sha256Of } from './program.ts';
import { goBack } from './return.ts';
import { startWith } from './start.ts';

/** How an upgrade is made. */
export interface Upgrading {
  readonly place: Place;
  readonly installation: Installation;
  readonly makesBackup: boolean;
  /** SHA-256 of the program that judged the offer; null to finish an upgrade, which either program may. */
  readonly program: string | null;
  stage(name: string): void;
  progress(done: number, total: number): void;
}

/** What an upgrade came to. */
export interface Upgraded {
  readonly journal: Journal;
  /** The server that runs the new version; null where none ran. */
  readonly restarted: Restarted | null;
}

/** Beside the executable itself: its backup copy takes no room, because it is the same file. */
const SPARE_BYTES = 32 * 1024 * 1024;

/** @throws AppError CONFLICT when an upgrade was interrupted */
export function requireFinished(place: Place): void {
  const journal = readJournal(place);
  if (!isUnfinished(journal)) return;
  throw conflict(
    `the upgrade to appctl ${journal.to.version} was interrupted`,
    'finish it: appctl upgrade apply --continue',
  );
}

/**
 * Puts an offered version in the place of this one: verified, the database backed up first, the executable replaced by
 * one rename, and the running server handed over to it. When the new version does not become healthy, the old one has
 * its place back, with the database as it knows it. The place is locked by the caller.
 *
 * @throws AppError VERIFICATION_FAILED, CONFLICT, UPGRADE_FAILED when the old version is back
 */
export async function applyUpgrade(feed: Feed, offer: Offer, upgrading: Upgrading): Promise<Upgraded> {
  const { place, installation } = upgrading;
  requireWritable(place);
  requireFinished(place);
  const own = await sha256Of(place.exe);
  if (own !== upgrading.program) throw replacedMeanwhile(place);
  requireRoom(place, offer.bundleSize);
  upgrading.stage('fetching');
  await feed.fetch(offer, place.next, upgrading.progress);
  chmodSync(place.next, 0o755);
  await requireFitting(place.next, offer.version);
  const before = await appliedMigrations(place.exe, installation);
  // The upgrade of the server that has changed the schema made a backup; this version could not.
  const isAhead = before?.isNewer === true;
  const makesBackup = before !== null && !isAhead && upgrading.makesBackup;
  if (makesBackup) upgrading.stage('backing up the database');
  const backup = makesBackup ? await backUp(place.exe, installation, 'pre-upgrade') : null;
  const journal = writeJournal(place, {
    state: 'ready',
    at: isoTime(systemClock.epochMs()),
    from: { version: buildInfo().version, sha256: own },
    to: { version: offer.version, sha256: await sha256Of(place.next) },
    dataDir: installation.config.dataDir,
    schema: before?.names ?? null,
    ...(isAhead && { isAhead: true }),
    backup,
    back: 'convert',
  });
  return finishUpgrade(journal, upgrading);
}

/** The rest of an upgrade whose new executable is verified; each step may be done already. */
export async function finishUpgrade(journal: Journal, upgrading: Upgrading): Promise<Upgraded> {
  const { place } = upgrading;
  upgrading.stage('replacing the executable');
  const swapped = journal.state === 'ready' ? await swapIn(place, journal) : journal;
  upgrading.stage('starting the new version');
  try {
    const restarted = await startWith(place.exe, swapped.to.version, upgrading.installation);
    return { journal: writeJournal(place, { ...swapped, state: 'done' }), restarted };
  } catch (error) {
    upgrading.stage('returning to the version before');
    throw await goBack(swapped, upgrading, error as Error);
  }
}

/** The old file keeps another name, and the new one takes its name at once: whoever starts the program finds one of them. */
async function swapIn(place: Place, journal: Journal): Promise<Journal> {
  try {
    if ((await sha256Of(place.exe)) !== journal.from.sha256) throw replacedMeanwhile(place);
    nameAlso(place.exe, place.previous);
    renameSync(place.next, place.exe);
  } catch (error) {
    rmSync(place.next, { force: true });
    writeJournal(place, { ...journal, state: 'undone' });
    throw error;
  }
  syncFolder(dirname(place.exe));
  return writeJournal(place, { ...journal, state: 'swapped' });
}

function requireRoom({ exe }: Place, size: number): void {
  const folder = dirname(exe);
  const missing = size + SPARE_BYTES - availableBytes(statfsSync(folder));
  if (missing > 0)
    throw new StorageFailure(
      `${folder} has not enough room for the new executable: ${Math.ceil(missing / 1e6)} MB are missing`,
      'free space on its disk',
    );
}

/** A statement names version and machine; that the file is such a program shows when it runs. */
async function requireFitting(file: string, version: string): Promise<void> {
  const told = await askVersion(file);
  if (told.version === version && told.platform === process.platform && told.arch === process.arch) return;
  rmSync(file, { force: true });
  throw new AppError(
    'VERIFICATION_FAILED',
    422,
    `the release is named ${version}, but its executable says that it is ${told.version} for ${told.platform}-${told.arch}`,
    { details: { hint: 'nothing was changed; ask the vendor of appctl' } },
  );
}
