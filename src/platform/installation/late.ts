import type { Config } from '#kernel/config/config.ts';
import type { ConfigProblem } from '#kernel/config/errors.ts';
import type { Db } from '#kernel/db/database.ts';

/** What only an empty database, a copy and doctor need: no other command loads it. */
const leftBehind = () => import('./left-behind.ts');

type Placed = Pick<Config, 'dataDir' | 'database' | 'databaseGiven'>;

/** What is wrong with an empty database in place of a filled SQLite file; null when nothing is. */
export const leftBehindProblem = async (config: Placed): Promise<ConfigProblem | null> =>
  (await leftBehind()).leftBehindProblem(config);

/** @throws ConfigError (78) with that problem */
export const refuseLeftBehind = async (config: Placed): Promise<void> =>
  (await leftBehind()).refuseLeftBehind(config);

/** What somebody would miss of a database, in words: `3 licenses and 1 order`. */
export const heldIn = async (db: Db): Promise<string> => (await import('./held-rows.ts')).heldIn(db);
