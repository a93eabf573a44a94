import { text } from 'node:stream/consumers';
import type { BackupPlace } from '../place-types.ts';
import { BASES, dayFolder, daysBetween, LOGS, type SegmentName, segmentOf } from './names.ts';
import { BaseRecord, LogRecord } from './records.ts';

const MOST_RECORD_BYTES = 131_072;

/** The logs in a place, the oldest first. What cannot be read as one is left out. */
export const listLogs = async (place: BackupPlace): Promise<LogRecord[]> =>
  (await records(place, LOGS, (json) => LogRecord.parse(json))).sort((one, other) =>
    one.createdAt < other.createdAt ? -1 : 1,
  );

/** The states that a restore may begin with, the oldest first. */
export const listBases = async (place: BackupPlace): Promise<BaseRecord[]> =>
  (await records(place, BASES, (json) => BaseRecord.parse(json))).sort((one, other) =>
    one.takenAt < other.takenAt ? -1 : 1,
  );

async function records<T>(place: BackupPlace, prefix: string, parse: (json: unknown) => T): Promise<T[]> {
  const names: string[] = [];
  for await (const { name } of place.list(prefix)) if (name.endsWith('.json')) names.push(name);
  const found: T[] = [];
  for (const name of names) {
    const bytes = await place.read(name, [0, MOST_RECORD_BYTES - 1]);
    if (bytes === null) continue;
    try {
      found.push(parse(JSON.parse(await text(bytes))));
    } catch {
      // Not ours, or of a program that writes them otherwise.
    }
  }
  return found;
}

/** A segment where it lies. */
export type PlacedSegment = SegmentName & { readonly name: string };

/** The segments of a log between two moments, in their order; of whole days. */
export async function listSegments(
  place: BackupPlace,
  log: string,
  from: string,
  to: string,
): Promise<PlacedSegment[]> {
  const found: PlacedSegment[] = [];
  for (const day of daysBetween(from, to)) {
    const folder = dayFolder(log, day);
    for await (const { name } of place.list(folder)) {
      const segment = segmentOf(name.slice(folder.length));
      if (segment !== null) found.push({ ...segment, name });
    }
  }
  return found.sort((one, other) => one.number - other.number);
}
