// A filled installation, databases to copy it into, and what is in a database, read without the program's own comparison.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { systemClock } from '#kernel/clock.ts';
import { openDatabase } from '#kernel/db/connect.ts';
import type { Database, Knex } from '#kernel/db/database.ts';
import { listTables } from '#kernel/db/schema.ts';
import * as accounts from '#platform/accounts/index.ts';
import { fillShop } from '../storefront/filled-shop.ts';
import { startApp } from './app.ts';
import { runInside } from './cli-inside.ts';
import { type CliRun, program } from './cli-process.ts';
import { type FreshDatabase, freshPostgres } from './database.ts';
import { plainRow } from './plain-row.ts';
import { scratchFolder } from './scratch-folder.ts';

export const OWNER = { email: 'ann@x.test', name: 'Ann', password: 'a pass phrase of several words' };
export const MACHINE = 'machine-0001';

export interface Copied {
  readonly tables: readonly { name: string; rows: number; checksumOk: boolean | null }[];
  readonly takenAt: string | null;
}

export type Copying = Awaited<ReturnType<typeof openCopying>>;

/** Fills an installation, which is served until `close`. */
export async function openCopying() {
  const folder = scratchFolder('appctl-copy-');
  const app = await startApp({
    clock: systemClock,
    pins: { 'webhooks.allowed_private_cidrs': '127.0.0.0/8' },
  });
  await fillShop(app);
  const { id, key } = await app.license();
  const { secret } = await app.apiKey('FULL_ADMIN');
  await app.post('/api/v1/license/activate', { key, machineId: MACHINE }, secret);
  await accounts.createOwner(app.ctx, { ...OWNER, replace: false });
  const { dataDir, database } = app.instance.config;
  const made: FreshDatabase[] = [];
  let files = 0;
  const newFile = (): string => `sqlite:${join(folder, `copy-${++files}.db`)}`;
  const newPostgres = async (): Promise<string> => {
    const fresh = await freshPostgres(inject('postgresUrl'));
    made.push(fresh);
    return fresh.url;
  };
  const envOf = (url = database.url) => ({ APPCTL_DATA_DIR: dataDir, APPCTL_DATABASE_URL: url });
  const words = ['db', 'copy', '--to-env', 'TARGET', '--json'];
  const environment = (to: string, from?: string) => ({ ...envOf(from), TARGET: to });
  return {
    app,
    folder,
    license: { id, key },
    secret,
    url: database.url,
    envOf,
    newFile,
    /** On Postgres too where this run has one, else another file. */
    newTarget: () => (inject('databaseKind') === 'postgres' ? newPostgres() : Promise.resolve(newFile())),
    copy: (to: string, args: readonly string[] = [], from?: string): Promise<CliRun> =>
      runInside([...words, ...args], { cwd: folder, env: environment(to, from) }),
    /** Ends the process by SIGKILL after so many milliseconds, unless it has ended. @returns whether it was killed */
    copyUntil: (to: string, ms: number): Promise<boolean> =>
      killedAfter(words, { cwd: folder, env: environment(to) }, ms),
    async close() {
      await app.close();
      for (const { drop } of made) await drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Ends a command by SIGKILL after so many milliseconds, unless it has ended. @returns whether it was killed */
export function killedAfter(
  words: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
  ms: number,
): Promise<boolean> {
  const child = spawn(process.execPath, [program, ...words], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, ...env },
    stdio: 'ignore',
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (_code, signal) => {
      clearTimeout(timer);
      resolve(signal === 'SIGKILL');
    });
  });
}

/** Works on a database beside the program. */
export async function within<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const options = { poolSize: 2, busyTimeoutMs: 5000, create: true, onError: () => undefined };
  const database = await openDatabase(url, options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Changes a database beside the program. */
export const change = (url: string, work: (knex: Knex) => Promise<unknown>): Promise<void> =>
  within(url, (database) => database.transaction(async ({ knex }) => void (await work(knex))));

/** Every row of every table as a text. */
export const rowsOf = (url: string): Promise<Record<string, string[]>> =>
  within(url, async ({ db }) => {
    const found: Record<string, string[]> = {};
    for (const name of await listTables(db)) {
      if (name === 'schema_migrations') continue;
      const rows: object[] = await db.knex(name).select();
      found[name] = rows.map(plainRow).sort();
    }
    return found;
  });
