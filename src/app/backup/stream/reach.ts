import { isoTime } from '#kernel/clock.ts';
import { localSecond } from '#kernel/local-time.ts';
import {
  type BackupPlace,
  type BaseRecord,
  conflict,
  type LogRecord,
  listBases,
  listLogs,
  listSegments,
  type PlacedSegment,
  STREAM_FORMAT,
} from '#platform/backup/index.ts';

/** How far back and forth the stream of an installation reaches. */
export interface Reach {
  /** ISO. The earliest moment that can be restored. */
  readonly from: string;
  readonly logs: readonly LogRecord[];
  /** The oldest first. */
  readonly bases: readonly BaseRecord[];
}

/** What leads to a moment. */
export interface Way {
  readonly log: LogRecord;
  readonly base: BaseRecord;
  readonly segments: readonly PlacedSegment[];
  /** ISO. Everything that was committed by then and nothing later is restored. */
  readonly at: string;
}

/**
 * What can be restored of an installation.
 *
 * @param installation null: of the only one in the place
 * @returns null when there is nothing
 * @throws AppError CONFLICT when the place has several installations and none was named; for a newer program's streams
 */
export async function reachOf(place: BackupPlace, installation: string | null): Promise<Reach | null> {
  const all = await listLogs(place);
  const owners = [...new Set(all.map((log) => log.installation))];
  if (installation === null && owners.length > 1)
    throw conflict(
      `${place.display} has the streams of ${owners.length} installations: ${owners.join(', ')}`,
      'restore in the data directory of the one that you want, or move the streams of the others away',
    );
  const logs = all.filter((log) => installation === null || log.installation === installation);
  const newer = logs.find(({ v }) => v > STREAM_FORMAT);
  if (newer) throw conflict('the stream was written by a newer appctl', 'use at least that version');
  const ids = new Set(logs.map(({ id }) => id));
  const bases = (await listBases(place)).filter(({ log }) => ids.has(log));
  const [first] = bases;
  return first ? { from: first.takenAt, logs, bases } : null;
}

/**
 * The way to a moment: from the last copy of the database before it, along all of the segments until then. A copy
 * without the segments that were committed while it was made is none.
 *
 * @param moment ISO
 * @throws AppError CONFLICT for a moment before the first copy, or when segments are missing on the way
 */
export async function wayTo(place: BackupPlace, reach: Reach, moment: string): Promise<Way> {
  const bases = reach.bases.filter(({ takenAt }) => takenAt <= moment).reverse();
  if (bases.length === 0) throw tooEarly(moment, reach.from);
  for (const base of bases) {
    const log = reach.logs.find(({ id }) => id === base.log);
    if (!log) continue;
    const segments = await segmentsOf(place, log, base, moment);
    if ((segments.at(-1)?.number ?? base.number - 1) < base.upTo) continue;
    // A transaction that ends later is not part of the moment.
    while (segments.at(-1)?.endsTransaction === false) segments.pop();
    return { log, base, segments, at: segments.at(-1)?.at ?? base.takenAt };
  }
  throw conflict(
    `segments of the stream before ${localSecond(new Date(moment))} are missing: no copy of the database can be used`,
    'choose another moment, or a backup: appctl backup list',
  );
}

/** @throws AppError CONFLICT when one is missing that is not the last; what the copy needs is judged by who asks */
async function segmentsOf(
  place: BackupPlace,
  log: LogRecord,
  base: BaseRecord,
  moment: string,
): Promise<PlacedSegment[]> {
  // The first segment may be from the day before the copy was complete.
  const from = isoTime(Date.parse(base.takenAt) - DAYS_BEFORE_MS);
  const listed = await listSegments(place, log.id, from < log.createdAt ? log.createdAt : from, moment);
  const wanted = listed.filter(({ number, at }) => number >= base.number && at <= moment);
  const gap = wanted.findIndex(({ number }, i) => number !== base.number + i);
  if (gap < 0) return wanted;
  const before = wanted.slice(0, gap);
  const last = before.at(-1);
  const reached = last?.number ?? base.number - 1;
  if (reached < base.upTo) return before;
  throw missing(reached + 1, last?.at ?? base.takenAt);
}

/** A copy of a large database takes hours on a slow disk, but not days. */
const DAYS_BEFORE_MS = 2 * 86_400_000;

const tooEarly = (moment: string, from: string) =>
  conflict(
    `${localSecond(new Date(moment))} is before the first state that can be restored, of ${localSecond(new Date(from))}`,
    'choose a later moment, or an older backup: appctl backup list',
  );

const missing = (number: number, until: string) =>
  conflict(
    `segment ${number} of the stream is missing: nothing after ${localSecond(new Date(until))} can be restored on this way`,
    `restore the last moment before it: appctl restore --at ${until}`,
  );
