// knex publishes no types for its dialect files; only what kernel/db overrides is declared.
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import { knex } from 'knex';

  class BetterSqlite3Dialect extends knex.Client {
    protected _query(connection: unknown, query: never): Promise<unknown>;
  }
  export default BetterSqlite3Dialect;
}
declare module 'knex/lib/dialects/postgres/index.js' {
  import { knex } from 'knex';

  class PostgresDialect extends knex.Client {
    protected _query(connection: unknown, query: never): Promise<unknown>;
  }
  export default PostgresDialect;
}
