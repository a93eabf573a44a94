import { counted } from '#kernel/counts.ts';
import { countRows } from '#kernel/db/copy/rows.ts';
import type { Db } from '#kernel/db/database.ts';
import { listTables } from '#kernel/db/schema.ts';

const TOLD = [
  ['licenses', 'license'],
  ['orders', 'order'],
] as const;

/** What somebody would miss of a database, in words: `1,204 licenses and 37 orders`. */
export async function heldIn(db: Db): Promise<string> {
  const tables = await listTables(db);
  const told: string[] = [];
  for (const [name, one] of TOLD)
    told.push(counted(tables.includes(name) ? await countRows(db, { name }) : 0, one));
  return told.join(' and ');
}
