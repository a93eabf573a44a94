// A license that the database refuses to change: what one damaged row does to a job that handles many.
import type { Database } from '#kernel/db/database.ts';

const refusals = {
  sqlite: (on: string, id: string) => [
    `CREATE TRIGGER broken_${on} BEFORE ${on} ON licenses WHEN OLD.id = '${id}'
       BEGIN SELECT RAISE(ABORT, 'this license is damaged'); END`,
  ],
  postgres: (on: string, id: string) => [
    `CREATE FUNCTION refuse_${on}() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'this license is damaged'; END $$`,
    `CREATE TRIGGER broken_${on} BEFORE ${on} ON licenses FOR EACH ROW WHEN (OLD.id = '${id}')
       EXECUTE FUNCTION refuse_${on}()`,
  ],
};

/**
 * @param on what is refused: `UPDATE` or `DELETE`
 * @returns what mends the license again
 */
export async function breakLicense(
  database: Database,
  on: 'UPDATE' | 'DELETE',
  id: string,
): Promise<() => Promise<void>> {
  const run = (text: string) => database.transaction(({ knex }) => knex.raw(text));
  for (const text of refusals[database.dialect](on, id)) await run(text);
  return async () => {
    await run(`DROP TRIGGER broken_${on}${database.dialect === 'postgres' ? ' ON licenses' : ''}`);
  };
}
