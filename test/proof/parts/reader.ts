// Reads, and for planted faults changes, the data of an installation beside the program.
import Database from 'better-sqlite3';
import pg from 'pg';
import { databaseFile } from './databases.ts';
import type { Installation } from './installation.ts';

type Value = string | number | null;

/** A connection of the proof's own. Statements have `?` for values; whole numbers come back as numbers. */
export interface Reader {
  all<T>(sql: string, ...values: readonly Value[]): Promise<T[]>;
  /** @returns how many rows were changed */
  run(sql: string, ...values: readonly Value[]): Promise<number>;
  close(): Promise<void>;
}

/** Opens the database of an installation, which the program has made. */
export const openReader = ({ dataDir, launch }: Installation): Promise<Reader> => {
  const url = launch.env.APPCTL_DATABASE_URL;
  return url === undefined ? openFile(databaseFile(dataDir)) : openServer(url);
};

/** Opens a SQLite file; it is there already. */
export async function openFile(file: string): Promise<Reader> {
  const database = new Database(file, { fileMustExist: true, timeout: 5000 });
  return {
    all: async <T>(sql: string, ...values: readonly Value[]) => database.prepare(sql).all(...values) as T[],
    run: async (sql, ...values) => database.prepare(sql).run(...values).changes,
    close: async () => void database.close(),
  };
}

const { builtins } = pg.types;
const NUMBERS: number[] = [builtins.INT8, builtins.NUMERIC];
const TEXTS: number[] = [builtins.JSON, builtins.JSONB];

/** Whole numbers as numbers; JSON as its text, as SQLite keeps it. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (NUMBERS.includes(oid)) return Number;
    return TEXTS.includes(oid) ? String : pg.types.getTypeParser(oid, format as 'text');
  }) as typeof pg.types.getTypeParser,
};

/** Opens a database of Postgres. */
export async function openServer(url: string): Promise<Reader> {
  const client = new pg.Client({ connectionString: url, types });
  await client.connect();
  const query = (sql: string, values: readonly Value[]) => {
    let place = 0;
    return client.query(
      sql.replaceAll('?', () => `$${++place}`),
      [...values],
    );
  };
  return {
    all: async <T>(sql: string, ...values: readonly Value[]) => (await query(sql, values)).rows as T[],
    run: async (sql, ...values) => (await query(sql, values)).rowCount ?? 0,
    close: () => client.end(),
  };
}
