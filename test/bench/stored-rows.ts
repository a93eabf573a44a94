// Counts what the database holds of a slice, past every server.
import { openSql } from './sql.ts';

/** Activations whose machineId begins with the tag of a slice. */
export const countActivations = (databaseUrl: string, tag: string): Promise<number> =>
  count(databaseUrl, 'SELECT count(*) AS n FROM license_activations WHERE machine_id LIKE ?', `${tag}-%`);

/** Usage records whose feature is the tag of a slice. */
export const countUsage = (databaseUrl: string, tag: string): Promise<number> =>
  count(databaseUrl, 'SELECT count(*) AS n FROM license_usage WHERE feature = ?', tag);

async function count(databaseUrl: string, text: string, value: string): Promise<number> {
  const sql = await openSql(databaseUrl);
  try {
    return await sql.number(text, [value]);
  } finally {
    await sql.close();
  }
}
