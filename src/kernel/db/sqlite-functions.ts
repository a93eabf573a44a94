import type { Database as Connection } from 'better-sqlite3';

/** Functions that every connection has, since indexes may be made with them. */
export function giveFunctions(connection: Connection): void {
  // SQLite's own lower() knows ASCII only: a search for "özil" would miss "Özil".
  connection.function('lower', { deterministic: true }, (text) =>
    typeof text === 'string' ? text.toLowerCase() : text,
  );
}
