// knex publishes no types for its dialect files; only what kernel/db overrides is declared.
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import { knex } from 'knex';
  import SqliteCompiler from 'knex/lib/dialects/sqlite3/query/sqlite-querycompiler.js';

  class BetterSqlite3Dialect extends knex.Client {
    protected _query(connection: unknown, query: never): Promise<unknown>;
    queryCompiler(builder: unknown, bindings?: unknown): SqliteCompiler;
  }
  export default BetterSqlite3Dialect;
}
declare module 'knex/lib/dialects/sqlite3/query/sqlite-querycompiler.js' {
  export default class SqliteCompiler {
    constructor(client: unknown, builder: unknown, bindings: unknown);
    protected tableName: string;
    protected single: {
      insert?: unknown;
      onConflict?: unknown;
      ignore?: boolean;
      merge?: { updates: unknown };
      returning?: unknown;
    };
    insert(): { sql: string; returning?: unknown } | '';
    protected with(): string;
    protected where(): string | false;
    protected _insertBody(rows: readonly unknown[]): string;
    protected _ignore(columns: unknown): string;
    protected _merge(updates: unknown, columns: unknown, rows: readonly unknown[]): string;
    protected _returning(columns: unknown): string;
  }
}
declare module 'knex/lib/dialects/postgres/index.js' {
  import { knex } from 'knex';

  class PostgresDialect extends knex.Client {
    protected _query(connection: unknown, query: never): Promise<unknown>;
  }
  export default PostgresDialect;
}
