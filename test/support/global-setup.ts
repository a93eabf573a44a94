// Runs once before the Postgres project: its tests share one server and make a database for each file.
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Which database the tests of this project run on. */
    databaseKind: 'sqlite' | 'postgres';
    /** The server that the Postgres project's tests make their databases on. */
    postgresUrl: string;
  }
}

/** vitest calls it by this name before the first test file and calls what it returns after the last one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide('postgresUrl', server.url);
  return server.stop;
}
