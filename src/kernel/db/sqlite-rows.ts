import SqliteCompiler from 'knex/lib/dialects/sqlite3/query/sqlite-querycompiler.js';

/**
 * Writes several rows of one INSERT as `values (…), (…)`. knex joins them with UNION ALL, as SQLite wanted it until 2012, and
 * SQLite joins at most 500: the options of 167 variants were 501 rows.
 */
export class RowsCompiler extends SqliteCompiler {
  override insert(): ReturnType<SqliteCompiler['insert']> {
    const { insert: rows, onConflict, ignore, merge, returning } = this.single;
    if (!Array.isArray(rows) || rows.length < 2) return super.insert();
    let sql = `${this.with()}insert into ${this.tableName} ${this._insertBody(rows)}`;
    if (onConflict && ignore) sql += this._ignore(onConflict);
    else if (onConflict && merge)
      sql += `${this._merge(merge.updates, onConflict, rows)} ${this.where() || ''}`.trimEnd();
    if (returning) sql += this._returning(returning);
    return { sql, returning };
  }
}
