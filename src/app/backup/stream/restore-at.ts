import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createZstdDecompress } from 'node:zlib';
import type { Database } from '#kernel/db/database.ts';
import { BrokenLog, Replay } from '#kernel/db/wal/replay.ts';
import { writeSteadily } from '#kernel/steady-file.ts';
import {
  type BackupPlace,
  baseDataName,
  damaged,
  locked,
  type Opening,
  openWorkFolder,
  requireFreeBytes,
  unpackSegment,
  unseal,
  unsealText,
  type WorkFolder,
} from '#platform/backup/index.ts';
import { requireOwner } from '../check-image.ts';
import { holdTarget } from '../hold-target.ts';
import { countTables, openImage } from '../image.ts';
import { keepPrevious } from '../previous.ts';
import { type Replacing, readyImage, replace, stampNow, swapOf } from '../replace.ts';
import { keyFor } from '../restore-key.ts';
import { dropPrepared, prepareMasterKey } from '../swap.ts';
import { type PresentState, sqliteFileOf } from '../target.ts';
import { type FetchedFiles, fetchFiles } from './files/fetch.ts';
import type { Way } from './reach.ts';

/** What was restored. */
export interface RestoredAt {
  readonly tables: number;
  readonly rows: number;
  readonly transactions: number;
  /** Files that were fetched from the stream, and those that are nowhere. */
  readonly files: FetchedFiles;
  /** Where what was there before is kept; null when nothing was. */
  readonly previous: string | null;
}

const NO_KEY =
  'give the key file of the public key it was encrypted to (--identity FILE), or its passphrase (--passphrase-file FILE)';

/**
 * Restores the database as it was at one moment: in a scratch place, examined as a backup is, before it replaces
 * anything. Files beside the database that its rows name and that are not there are fetched first.
 *
 * @param state of the target, which somebody has agreed to have replaced
 * @throws AppError VERIFICATION_FAILED (6), CONFLICT (5), UNAUTHORIZED (4)
 */
export async function restoreAt(
  place: BackupPlace,
  way: Way,
  options: Replacing,
  state: PresentState,
): Promise<RestoredAt> {
  const { config, opening, watcher } = options;
  const file = sqliteFileOf(config);
  const lock = await holdTarget(config, state);
  const work = await openWorkFolder(config.dataDir);
  try {
    dropPrepared(config, file);
    const ofFiles = await openingOfLog(way, opening);
    const image = await baseImage(place, way, ofFiles, work, watcher);
    const transactions = await replaySegments(place, way, ofFiles, image, watcher);
    const { log } = way;
    // Before anybody is asked for the key that the log names.
    await withImage(image, (opened) => requireOwner(opened, log, 'stream'));
    const sealedKey = log.masterKey === null ? null : Buffer.from(log.masterKey, 'base64');
    const key = await keyFor(options, log, sealedKey);
    watcher.stage('checking the database', 0);
    await readyImage(config, image, { database: 'sqlite', tables: {} }, key?.keyring ?? null);
    const counts = await rowsOf(image);
    const files = await filesOf(image, place, way, options);
    const previous =
      state.kind === 'empty' ? null : await keepPrevious({ ...options, stamp: stampNow() }, state);
    const swap = swapOf(options, log, key?.isInstalled ?? false);
    if (key?.isInstalled) prepareMasterKey(config, key.text);
    await replace(options, swap, image);
    return { ...counts, transactions, files, previous };
  } finally {
    await work.remove();
    await lock?.release();
  }
}

/** What opens the files of a log: its own key, which is encrypted as backups are. */
async function openingOfLog({ log }: Way, opening: Opening | null): Promise<Opening | null> {
  if (log.recipient === null) return null;
  if (opening === null || log.identity === null) throw locked('the stream is encrypted', NO_KEY);
  const identity = await unsealText(Buffer.from(log.identity, 'base64'), opening);
  return { identities: [identity.trim()], passphrase: null, tried: opening.tried };
}

async function baseImage(
  place: BackupPlace,
  { base }: Way,
  opening: Opening | null,
  work: WorkFolder,
  watcher: Replacing['watcher'],
): Promise<string> {
  requireFreeBytes(work.path, 2 * base.databaseBytes, 'the restore');
  watcher.stage('unpacking the database', base.sizeBytes);
  const name = baseDataName(base.log, base.number);
  const stored = await place.read(name);
  if (stored === null) throw damaged(`${name} is missing in ${place.display}`);
  const sum = createHash('sha256');
  let size = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of stored) {
      sum.update(chunk);
      size += chunk.byteLength;
      watcher.progress(size, base.sizeBytes);
      yield chunk;
    }
  };
  const packed = Readable.from(counted());
  const image = work.file('scratch.sqlite');
  // What goes wrong in one of them ends the other, and is thrown by the reader.
  const opened = opening === null ? packed : await unseal(packed, opening);
  const unpacked = createZstdDecompress();
  // It may fail once more when nobody listens any longer, and would end the process.
  unpacked.on('error', () => undefined);
  const plain = pipeline(opened, unpacked, () => undefined);
  try {
    await writeSteadily(image, atMost(plain, base.databaseBytes, name));
  } catch (error) {
    throw /^Z/.test((error as NodeJS.ErrnoException).code ?? '') ? damaged(`${name} is damaged`) : error;
  }
  if (sum.digest('hex') !== base.sha256) throw damaged(`${name} is not what was written`);
  return image;
}

/** A hostile file must not fill the disk. */
async function* atMost(
  source: AsyncIterable<Uint8Array>,
  bytes: number,
  name: string,
): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of source) {
    left -= chunk.byteLength;
    if (left < 0) throw damaged(`${name} is larger than its record says`);
    yield chunk;
  }
}

async function replaySegments(
  place: BackupPlace,
  { base, segments }: Way,
  opening: Opening | null,
  image: string,
  watcher: Replacing['watcher'],
): Promise<number> {
  watcher.stage('replaying changes', segments.length);
  const replay = await Replay.open(image);
  if (base.begin !== null) replay.begin(base.begin);
  try {
    for (const [done, { name }] of segments.entries()) {
      const stored = await place.read(name);
      if (stored === null) throw damaged(`${name} is missing in ${place.display}`);
      await replay.apply(await unpackSegment(await buffer(stored), opening, name));
      watcher.progress(done + 1, segments.length);
    }
    if (!replay.isWhole) throw damaged('the stream ends within a transaction');
    return replay.transactions;
  } catch (error) {
    throw error instanceof BrokenLog ? damaged(`the stream does not fit together: ${error.message}`) : error;
  } finally {
    await replay.close();
  }
}

async function withImage<T>(image: string, work: (opened: Database) => Promise<T>): Promise<T> {
  const opened = await openImage(image);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

const filesOf = (
  image: string,
  place: BackupPlace,
  { log: { installation } }: Way,
  { config, opening, watcher }: Replacing,
): Promise<FetchedFiles> =>
  withImage(image, (opened) => fetchFiles(opened, { config, place, installation, opening, watcher }));

const rowsOf = (image: string): Promise<{ tables: number; rows: number }> =>
  withImage(image, async (opened) => {
    const tables = Object.values(await countTables(opened));
    return { tables: tables.length, rows: tables.reduce((sum, count) => sum + count, 0) };
  });
