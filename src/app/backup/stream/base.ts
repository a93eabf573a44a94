import { createHash } from 'node:crypto';
import { createReadStream, rmSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { pipeline as joined } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { buildInfo } from '#kernel/build-info.ts';
import { isoTime, systemClock } from '#kernel/clock.ts';
import { copyOnline } from '#kernel/db/online-copy.ts';
import { askOwn, serveOwn, startOwn } from '#kernel/own-process.ts';
import { yieldToOthers } from '#kernel/process-priority.ts';
import { removeSteadily, writeSteadily } from '#kernel/steady-file.ts';
import {
  type BackupPlace,
  type BaseRecord,
  baseDataName,
  baseName,
  localFile,
  openWorkFolder,
  requireFreeBytes,
  STREAM_FORMAT,
  type StreamState,
  seal,
} from '#platform/backup/index.ts';

/** The word with which the program begins as the process that makes a base. */
const BASE_WORD = 'stream-base-process';

interface Order {
  readonly source: string;
  /** New file. */
  readonly copy: string;
  /** New file. */
  readonly target: string;
  readonly recipient: string | null;
}

interface Made {
  readonly takenAt: string;
  readonly databaseBytes: number;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface Making {
  /** Ends that process. */
  readonly signal: AbortSignal;
  /** Resolves once everything is in segments that was committed before it was called. */
  settled(): Promise<Pick<StreamState, 'number' | 'at'>>;
}

/**
 * Copies the database into a place, page by page, as the state that a log leads on from. Another process does it: a
 * server would stand still meanwhile.
 *
 * @param from the log, and where the first segment begins that is applied to the copy
 * @returns what the place has now
 */
export async function makeBase(
  path: string,
  dataDir: string,
  place: BackupPlace,
  from: Pick<StreamState, 'log' | 'position'> & { readonly number: number },
  { signal, settled }: Making,
): Promise<BaseRecord> {
  const work = await openWorkFolder(dataDir);
  const child = startOwn(BASE_WORD);
  signal.addEventListener('abort', () => child.kill('SIGKILL'));
  try {
    requireFreeBytes(work.path, 2 * statSync(path).size, 'the stream of backups');
    const target = work.file('base.zst');
    const order: Order = {
      source: path,
      copy: work.file('base.sqlite'),
      target,
      recipient: from.log.recipient,
    };
    const made = await askOwn<Made>(child, order, 'that copies the database for the stream');
    const { id } = from.log;
    const { sizeBytes: size, sha256 } = made;
    await place.put(baseDataName(id, from.number), { path: target, size, sha256 });
    const last = await settled();
    const record: BaseRecord = {
      kind: 'appctl-stream-base',
      v: STREAM_FORMAT,
      log: id,
      number: from.number,
      begin: from.position,
      version: buildInfo().version,
      ...made,
      upTo: last.number,
      takenAt: last.at > made.takenAt ? last.at : made.takenAt,
    };
    await putText(
      place,
      baseName(id, from.number),
      JSON.stringify(record, null, 2),
      work.file('record.json'),
    );
    return record;
  } finally {
    child.kill('SIGKILL');
    await work.remove();
  }
}

/** @param path of a file on its way */
export async function putText(place: BackupPlace, name: string, text: string, path: string): Promise<void> {
  await writeFile(path, `${text}\n`, { mode: 0o600 });
  await place.put(name, localFile(path, await readFile(path)));
  rmSync(path, { force: true });
}

/** What that process does. */
export function serveBase(): void {
  yieldToOthers();
  serveOwn<Order>(make);
}

async function make({ source, copy, target, recipient }: Order): Promise<Made> {
  await copyOnline(source, copy, undefined, 'pages');
  const takenAt = isoTime(systemClock.epochMs());
  const databaseBytes = statSync(copy).size;
  const sum = createHash('sha256');
  const zstd = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  const packed = joined(createReadStream(copy), zstd, () => undefined);
  await pipeline(
    recipient === null ? packed : await seal(packed, { recipients: [recipient] }),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        sum.update(chunk);
        yield chunk;
      }
    },
    (chunks: AsyncIterable<Uint8Array>) => writeSteadily(target, chunks),
  );
  await removeSteadily(copy);
  return { takenAt, databaseBytes, sizeBytes: statSync(target).size, sha256: sum.digest('hex') };
}
