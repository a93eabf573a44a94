import { isoTime, SECONDS_PER_DAY } from '#kernel/clock.ts';
import {
  type BackupPlace,
  type BaseRecord,
  baseDataName,
  baseName,
  dayFolder,
  daysBetween,
  type LogRecord,
  listBases,
  listLogs,
  logName,
  segmentOf,
} from '#platform/backup/index.ts';

const DAY_MS = SECONDS_PER_DAY * 1000;

/**
 * Removes what no restore needs that goes back `days` days: states before the last one of that age, and what leads from
 * them to it. Records go before what they name, so that none is left that names nothing.
 *
 * @param installation whose streams these are: others in the place are left alone
 */
export async function pruneStream(
  place: BackupPlace,
  { days, nowMs, installation }: { days: number; nowMs: number; installation: string | null },
): Promise<void> {
  const logs = (await listLogs(place)).filter((log) => log.installation === installation);
  const ids = new Set(logs.map(({ id }) => id));
  const bases = (await listBases(place)).filter(({ log }) => ids.has(log));
  // A clock that is ahead must not make everything old: what comes long after the state before the newest is not believed.
  const before = bases.at(-2);
  if (!before) return;
  const believedMs = Math.min(nowMs, Date.parse(before.takenAt) + 2 * DAY_MS);
  const cut = isoTime(believedMs - Math.max(1, days) * DAY_MS);
  const oldest = bases.filter(({ takenAt }) => takenAt <= cut).at(-1);
  if (!oldest) return;
  for (const base of bases.filter(({ takenAt }) => takenAt < oldest.takenAt)) await removeBase(place, base);
  for (const log of logs) {
    if (log.id === oldest.log) await removeSegments(place, log, cut, oldest.number);
    else if (log.createdAt < oldest.takenAt) await removeLog(place, log, isoTime(nowMs));
  }
}

async function removeBase(place: BackupPlace, { log, number }: BaseRecord): Promise<void> {
  await place.remove(baseName(log, number));
  await place.remove(baseDataName(log, number));
}

async function removeLog(place: BackupPlace, log: LogRecord, until: string): Promise<void> {
  await removeSegments(place, log, until, Number.POSITIVE_INFINITY);
  for await (const { name } of place.list(`stream/data/${log.id}/`)) await place.remove(name);
  await place.remove(logName(log.id));
}

/** Removes the segments of a log before one of them. */
async function removeSegments(
  place: BackupPlace,
  log: LogRecord,
  until: string,
  before: number,
): Promise<void> {
  for (const day of daysBetween(log.createdAt, until)) {
    const folder = dayFolder(log.id, day);
    for await (const { name } of place.list(folder)) {
      const segment = segmentOf(name.slice(folder.length));
      if (segment !== null && segment.number < before) await place.remove(name);
    }
  }
}
