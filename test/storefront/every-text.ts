// Everything that the tables of a database say, to find what should not be there any more.
import type { Knex } from 'knex';

/** Names of the tables of the schema. */
async function tablesOf(knex: Knex): Promise<string[]> {
  const rows: { name: string }[] =
    knex.client.dialect === 'postgresql'
      ? await knex('information_schema.tables')
          .where({ table_schema: 'public', table_type: 'BASE TABLE' })
          .select({ name: 'table_name' })
      : await knex('sqlite_master').where({ type: 'table' }).select('name');
  return rows.map(({ name }) => name).sort();
}

/** Where texts are found in whatever case: `orders.email`. */
export async function findTexts(knex: Knex, texts: readonly string[]): Promise<string[]> {
  const wanted = texts.map((text) => text.toLowerCase());
  const found = new Set<string>();
  for (const table of await tablesOf(knex)) {
    const rows: Record<string, unknown>[] = await knex(table);
    for (const row of rows)
      for (const [name, value] of Object.entries(row)) {
        const text = String(value ?? '').toLowerCase();
        if (wanted.some((one) => text.includes(one))) found.add(`${table}.${name}`);
      }
  }
  return [...found].sort();
}
