// A data directory with a database of its own, the commands that work on it, and a server beside them.
import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { openDatabase } from '#kernel/db/connect.ts';
import type { Db } from '#kernel/db/database.ts';
import { commandTree } from '../../src/cli/index.ts';
import { runInside } from '../support/cli-inside.ts';
import { type CliOptions, type CliRun, errorOf, runCli } from '../support/cli-process.ts';
import { type FreshDatabase, freshDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

type Runner = (args: string[], env?: Record<string, string>, input?: string) => Promise<CliRun>;

export interface ServiceLife {
  cwd(): string;
  isSqlite(): boolean;
  /** Runs a command to its end in the test's process; `input` goes to its stdin. */
  appctl: Runner;
  /** The same as a process of its own: for `serve`, and where two processes meet. */
  spawned: Runner;
  /** The answer of a command with --json, checked against the schema that the command publishes. */
  json(
    args: string[],
    code?: number,
    env?: Record<string, string>,
    run?: Runner,
  ): Promise<Record<string, unknown>>;
  /** Starts a server that ends with the test. */
  serve(args?: string[]): Promise<ServerProcess>;
  /** Works on the database behind the program's back. */
  onDatabase<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

/** Gives a test file (`*.db.test.ts`) one empty folder and one empty database for all its tests. */
export function useServiceLife(): ServiceLife {
  let cwd = '';
  let database: FreshDatabase;
  const servers: ServerProcess[] = [];
  beforeAll(async () => {
    cwd = scratchFolder('appctl-life-');
    database = await freshDatabaseUrl();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) if (server.child.exitCode === null) await server.stop('SIGKILL');
  });
  afterAll(async () => {
    await database.drop();
    rmSync(cwd, { recursive: true, force: true });
  });
  const env = () => ({ APPCTL_DATABASE_URL: database.url });
  const within = (more: Record<string, string>, input?: string): CliOptions => ({
    cwd,
    env: { ...env(), ...more },
    ...(input !== undefined && { input }),
  });
  const appctl: Runner = (args, more = {}, input) => runInside(args, within(more, input));
  const spawned: Runner = (args, more = {}, input) => runCli(args, within(more, input));
  return {
    cwd: () => cwd,
    isSqlite: () => database.url.startsWith('sqlite:'),
    appctl,
    spawned,
    async json(args, code = 0, more = {}, runner = appctl) {
      const run = await runner([...args, '--json'], more);
      expect({ args, code: run.code, stderr: run.stderr }).toEqual({ args, code, stderr: '' });
      const spec = (await commandTree()).specs.find(({ path }) => args.join(' ').startsWith(path));
      const schema = await spec?.output?.();
      return schema?.parse(JSON.parse(run.stdout)) as Record<string, unknown>;
    },
    async serve(args = []) {
      const server = await startServer(args, { cwd, env: env() });
      servers.push(server);
      return server;
    },
    onDatabase: (work) => transactionOn(database.url, work),
  };
}

async function transactionOn<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const options = { poolSize: 1, busyTimeoutMs: 5000, create: false, onError: () => undefined };
  const opened = await openDatabase(url, options);
  try {
    return await opened.transaction(work);
  } finally {
    await opened.close();
  }
}

/** A command that refused: its code, nothing on stdout, and words of its message. */
export function expectRefused(run: CliRun, code: number, message: string): void {
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' });
  expect(errorOf(run).message).toContain(message);
}
