import { existsSync } from 'node:fs';
import type { Config } from '#kernel/config/config.ts';
import { parseStorageUrl } from '#kernel/config/storage-url.ts';
import { keptNotesWaiting } from '#kernel/storage/kept-notes.ts';
import { readFilesState } from './files-state.ts';
import { Spool } from './spool.ts';
import { readStreamState, streamFolder } from './state.ts';

/** How a stream stands, by what is noted on this machine. */
export interface StreamStanding {
  /** ISO. From this moment on any other can be restored of the log that is written now; null before its first copy. */
  readonly from: string | null;
  /** ISO. The last change that was taken. */
  readonly at: string;
  /** What is not stored yet; null for nothing. */
  readonly waiting: { readonly segments: number; readonly since: string } | null;
  /** How the files beside the database stand; null where none are kept on this machine. */
  readonly files: FilesStanding | null;
}

/** How the files of a stream stand. */
export interface FilesStanding {
  /** Whether they were compared with the place: without that nobody knows what it lacks. */
  readonly isCompared: boolean;
  /** Files that are not stored yet; 0 for none. */
  readonly waiting: number;
  /** ISO, since when they wait, or the comparison does; null where nothing is known to. */
  readonly since: string | null;
}

/** @returns null when nothing was ever shipped from here */
export async function streamStanding(
  config: Pick<Config, 'dataDir' | 'storage'>,
): Promise<StreamStanding | null> {
  const state = readStreamState(config);
  if (state === null || !existsSync(streamFolder(config))) return null;
  const { waiting } = new Spool(streamFolder(config));
  const [oldest] = waiting;
  return {
    from: state.base?.takenAt ?? null,
    at: state.at,
    waiting: oldest ? { segments: waiting.length, since: oldest.segment.at } : null,
    files: await filesStanding(config),
  };
}

async function filesStanding(config: Pick<Config, 'dataDir' | 'storage'>): Promise<FilesStanding | null> {
  // A bucket has files of its own accord.
  if (parseStorageUrl(config.storage.url) !== null) return null;
  const state = readFilesState(config);
  const comparedAt = state?.comparedAt ?? null;
  const noted = await keptNotesWaiting(config.dataDir);
  const left = state?.left ?? 0;
  // Of a note of before that says no more, the comparison.
  const leftSince = left > 0 ? (state?.leftSince ?? comparedAt) : null;
  const sinces = [noted.since, leftSince, state?.waitingSince ?? null]
    .filter((since) => since !== null)
    .sort();
  return { isCompared: comparedAt !== null, waiting: noted.count + left, since: sinces[0] ?? null };
}
