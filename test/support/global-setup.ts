// Runs once before the Postgres project: its tests share one server and make a database for each file.
import type { TestProject } from 'vitest/node';
import { freshPostgres } from './database.ts';
import { applySchema } from './migrated-schema.ts';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Which database the tests of this project run on. */
    databaseKind: 'sqlite' | 'postgres';
    /** The server that the Postgres project's tests make their databases on. */
    postgresUrl: string;
    /** The database on it that has the program's schema, to be copied. */
    postgresTemplate: string;
  }
}

/** vitest calls it by this name before the first test file and calls what it returns after the last one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  const template = await freshPostgres(server.url);
  await applySchema(template.url);
  project.provide('postgresUrl', server.url);
  project.provide('postgresTemplate', new URL(template.url).pathname.slice(1));
  return async () => {
    await template.drop();
    await server.stop();
  };
}
