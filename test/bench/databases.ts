// The two databases of one kind, seeded, on a real disk.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../support/postgres.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import type { BenchOptions, DatabaseKind } from './options.ts';
import type { Installations } from './rounds.ts';
import { seedInstallation } from './seed.ts';

/** A database server or file system that seeded installations lie on. */
export interface Seeded {
  installations: Installations;
  /** Name and database version program. */
  version: string;
  remove(): Promise<void>;
}

/** Where databases of one kind come from. */
interface Source {
  version: string;
  /** The URL of a new database. */
  create(name: string, dataDir: string): Promise<string>;
  stop(): Promise<void>;
}

/** Seeds a large and a small installation; the folder goes away with `remove`. */
export async function seedDatabases(
  kind: DatabaseKind,
  { licenses, fewLicenses }: Pick<BenchOptions, 'licenses' | 'fewLicenses'>,
): Promise<Seeded> {
  const folder = scratchFolder('appctl-bench-', { durable: true });
  const source = kind === 'sqlite' ? sqliteSource() : await postgresSource();
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  // Also when the bench is interrupted.
  process.once('exit', removeFolder);
  const remove = async () => {
    await source.stop();
    removeFolder();
    process.removeListener('exit', removeFolder);
  };
  const seed = async (name: string, count: number) => {
    const dataDir = join(folder, name);
    mkdirSync(dataDir, { mode: 0o700 });
    return seedInstallation(dataDir, await source.create(`bench_${name}`, dataDir), count);
  };
  try {
    const installations = { few: await seed('few', fewLicenses), large: await seed('large', licenses) };
    return { installations, version: source.version, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function sqliteSource(): Source {
  return {
    version: 'SQLite, WAL, synchronous=FULL',
    create: async (_name, dataDir) => `sqlite:${join(dataDir, 'appctl.db')}`,
    stop: async () => undefined,
  };
}

async function postgresSource(): Promise<Source> {
  const server = await startPostgres({ durable: true });
  const made: string[] = [];
  return {
    version: `${server.version}, synchronous_commit=on`,
    async create(name) {
      const own = `${name}_${process.pid}`;
      await runOn(server.url, `CREATE DATABASE ${own} TEMPLATE template0`);
      made.push(own);
      const url = new URL(server.url);
      url.pathname = own;
      return url.href;
    },
    async stop() {
      // A server that was only lent keeps nothing of ours.
      for (const own of made) await runOn(server.url, `DROP DATABASE IF EXISTS ${own} WITH (FORCE)`);
      await server.stop();
    },
  };
}

async function runOn(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
