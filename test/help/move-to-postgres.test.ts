import { afterAll } from 'vitest';
import { freshPostgres } from '../support/database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { testPage } from './run-page.ts';

let postgres: TestPostgres | undefined;

testPage('move-to-postgres', {
  instead: async () => {
    postgres = await startPostgres();
    const { url } = await freshPostgres(postgres.url);
    return { 'postgres://appctl:a-long-password@127.0.0.1:5432/appctl': url };
  },
});

afterAll(() => postgres?.stop());
