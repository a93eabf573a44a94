import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError, type ConfigProblem } from '#kernel/config/errors.ts';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import { openDatabase } from '#kernel/db/connect.ts';
import { listTables } from '#kernel/db/schema.ts';
import { heldIn } from './held-rows.ts';
import { find } from './repository.ts';

type Placed = Pick<Config, 'dataDir' | 'database' | 'databaseGiven'>;

const SQLITE = 'sqlite:';

/** The file that a data directory has when nobody names a database. */
const usualFile = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'appctl.db');

function isConfigured(file: string, url: string): boolean {
  const configured = url.startsWith(SQLITE) ? url.slice(SQLITE.length) : null;
  return configured !== null && existsSync(configured) && realpathSync(configured) === realpathSync(file);
}

/**
 * The SQLite file of a data directory that another database takes the place of, with what it holds; null when there is
 * none, or none that anybody used.
 */
async function leftBehind(config: Placed): Promise<{ file: string; held: string } | null> {
  const file = usualFile(config);
  if (!existsSync(file) || isConfigured(file, config.database.url)) return null;
  const { busyTimeoutMs } = config.database;
  try {
    const database = await openDatabase(`${SQLITE}${file}`, {
      poolSize: 1,
      busyTimeoutMs,
      create: false,
      onError: () => undefined,
    });
    try {
      if (
        !(await listTables(database.db)).includes('settings') ||
        (await find(database, 'masterKey')) === null
      )
        return null;
      return { file, held: await heldIn(database.db) };
    } finally {
      await database.close();
    }
  } catch {
    // What cannot be read is no installation that could be copied; the usual message comes.
    return null;
  }
}

/**
 * What is wrong with an empty database beside a data directory whose own SQLite file holds an installation, with the
 * commands that copy it, or begin without it; null when nothing is.
 */
export async function leftBehindProblem(config: Placed): Promise<ConfigProblem | null> {
  const found = await leftBehind(config);
  if (!found) return null;
  const url = maskUrlPassword(config.database.url);
  const message = `${url} is empty, but this data directory holds an installation with ${found.held} in ${found.file}`;
  const copy = `appctl db copy --db ${SQLITE}${found.file} ${targetOf(config)}`;
  const fresh = 'appctl serve --fresh (or appctl setup --fresh)';
  return {
    key: 'database.url',
    message,
    hint: `to move it, run: ${copy}\nto start empty instead, run: ${fresh}`,
  };
}

/** @throws ConfigError (78) with that problem */
export async function refuseLeftBehind(config: Placed): Promise<void> {
  const problem = await leftBehindProblem(config);
  if (problem) throw new ConfigError([problem]);
}

/** The flag that names the configured database as the target, in the form in which it was given. */
function targetOf({ database: { url }, databaseGiven: { source, name } }: Placed): string {
  if (source === 'env') return `--to-env ${name}`;
  if (source === 'env_file') return `--to-file "$${name}"`;
  return maskUrlPassword(url) === url ? `--to ${url}` : '--to-file FILE   (FILE holds the address)';
}
