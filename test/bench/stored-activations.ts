// Counts what the database holds of a slice, past every server.
import Driver from 'better-sqlite3';
import pg from 'pg';

/** Activations whose machineId begins with the tag of a slice. */
export async function countActivations(databaseUrl: string, tag: string): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM license_activations WHERE machine_id LIKE';
  if (databaseUrl.startsWith('sqlite:')) {
    const connection = new Driver(databaseUrl.slice('sqlite:'.length), { readonly: true });
    const row = connection.prepare(`${sql} ?`).get(`${tag}-%`) as { n: number };
    connection.close();
    return row.n;
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ n: string }>(`${sql} $1`, [`${tag}-%`]);
    return Number(rows[0]?.n);
  } finally {
    await client.end();
  }
}
