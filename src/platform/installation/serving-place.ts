import { existsSync, readFileSync } from 'node:fs';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError, type ConfigProblem } from '#kernel/config/errors.ts';
import { placeOf as placeIn } from '#kernel/db/copy/identity.ts';
import type { Database } from '#kernel/db/database.ts';
import type { Log } from '#kernel/log.ts';
import { writePrivateFile } from '#kernel/private-files.ts';
import { type LastCopy, readLastCopy } from './last-copy.ts';
import { servedFile } from './trace.ts';

type DataDir = Pick<Config, 'dataDir'>;

interface Place {
  /** What `placeOf` says. */
  readonly place: string;
  /** Its address without a password. */
  readonly database: string;
}

/** What `{data_dir}/served` says: in which database the installation is, and in which ones it was before. */
interface ServingNote extends Place {
  /** Id of the installation: another one begins a new note. */
  readonly id: string;
  readonly left: readonly (Place & { readonly at: string })[];
}

const SQLITE = 'sqlite:';

/** As `placeOf` of the kernel, with this data directory. */
export const placeOf = ({ dataDir }: DataDir, database: Database): Promise<string> =>
  placeIn(dataDir, database);

function readNote(config: DataDir, id: string): ServingNote | null {
  try {
    const note = JSON.parse(readFileSync(servedFile(config), 'utf8')) as ServingNote;
    return note.id === id && Array.isArray(note.left) ? note : null;
  } catch {
    return null;
  }
}

/**
 * What is wrong with a database that was left for another one: what happened since is not in it. Null when it is the one
 * that was served last, when it is a new one, and when the other was copied back into it.
 *
 * @param anyway how to use the older one nevertheless; without it how to serve it
 */
export async function leftDatabaseProblem(
  config: DataDir,
  database: Database,
  id: string,
  anyway = `to serve the older database anyway, remove ${servedFile(config)}`,
): Promise<ConfigProblem | null> {
  const note = readNote(config, id);
  if (note === null) return null;
  const place = await placeOf(config, database);
  const left = note.left.find((one) => one.place === place);
  if (left === undefined || note.place === place) return null;
  const last = readLastCopy(config);
  if (last?.place === place && last.at > left.at) return null;
  return {
    key: 'database.url',
    message: `this installation moved from ${database.displayUrl} to ${note.database} at ${left.at}; what happened since is not in the older database`,
    hint: `to go on, set APPCTL_DATABASE_URL (or APPCTL_DATABASE_URL_FILE) to the address of ${note.database}\nto move back, copy it here first: appctl help move-to-postgres\n${anyway}`,
  };
}

/**
 * What a copy of this installation in another database means for its server; null when nobody serves such a copy as far
 * as can be seen here. A file counts once it has the lock of a server beside it: others are backups.
 */
export async function otherCopy(
  config: DataDir,
  database: Database,
): Promise<{ message: string; hint: string } | null> {
  const last = readLastCopy(config);
  if (last === null || !mayBeServed(last)) return null;
  const isHere =
    last.place === undefined
      ? last.target === database.displayUrl
      : last.place === (await placeOf(config, database));
  if (isHere) return null;
  return {
    message: `this installation was copied to ${last.target} at ${last.at}; a server on the copy and one here would both send every webhook and email`,
    hint: `serve only one of them; to use the copy from here on, set APPCTL_DATABASE_URL (or APPCTL_DATABASE_URL_FILE) to its address`,
  };
}

const mayBeServed = ({ target }: LastCopy): boolean =>
  !target.startsWith(SQLITE) || existsSync(`${target.slice(SQLITE.length)}-server`);

/**
 * Notes in which database a server starts, and warns of a copy that somebody else may serve.
 *
 * @param started id of the installation, and the time
 * @throws ConfigError (78) for a database that was left for another one
 */
export async function noteServing(
  config: DataDir,
  database: Database,
  { id, now, log }: { id: string; now: string; log: Log },
): Promise<void> {
  const problem = await leftDatabaseProblem(config, database, id);
  if (problem) throw new ConfigError([problem]);
  const other = await otherCopy(config, database);
  if (other) log.warn({ hint: other.hint }, other.message);
  const note = readNote(config, id);
  const place = await placeOf(config, database);
  if (note?.place === place) return;
  const before = note?.left.filter((one) => one.place !== place) ?? [];
  const left = note ? [...before, { place: note.place, database: note.database, at: now }] : [];
  const next: ServingNote = { id, place, database: database.displayUrl, left };
  writePrivateFile(servedFile(config), `${JSON.stringify(next, null, 2)}\n`);
}

/** @throws ConfigError (78) for a command on a database that was left for another one */
export async function refuseLeftDatabase(config: DataDir, database: Database, id: string): Promise<void> {
  const anyway = `to work on the older database anyway, add --db ${database.displayUrl}`;
  const problem = await leftDatabaseProblem(config, database, id, anyway);
  if (problem) throw new ConfigError([problem]);
}

/** Notes that the installation is in a database from now on, also in one that was left before: a backup was restored into it. */
export async function noteRestored(config: DataDir, database: Database, id: string): Promise<void> {
  const place = await placeOf(config, database);
  const left = (readNote(config, id)?.left ?? []).filter((one) => one.place !== place);
  const next: ServingNote = { id, place, database: database.displayUrl, left };
  writePrivateFile(servedFile(config), `${JSON.stringify(next, null, 2)}\n`);
}
