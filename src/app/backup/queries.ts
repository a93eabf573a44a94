import type { Database } from '#kernel/db/database.ts';
import { listTables } from '#kernel/db/schema.ts';

/** A value under a master key, and what it is bound to. */
export interface SealedSample {
  readonly table: string;
  readonly use: 'license-key' | 'secret';
  readonly sealed: string;
  readonly owner: string;
}

/** Where such values are. */
const SAMPLES = [
  { table: 'license_keys', use: 'license-key', value: 'key_enc', owner: 'license_id', prefix: '' },
  { table: 'license_signing_keys', use: 'secret', value: 'private_key', owner: 'id', prefix: '' },
  { table: 'settings', use: 'secret', value: 'value', owner: 'key', prefix: 'setting:' },
] as const;

/** One value of each table and each master key, whose id stands at its beginning. @param image a SQLite file */
export async function sealedSamples({ db }: Database): Promise<SealedSample[]> {
  const tables = await listTables(db);
  const found: SealedSample[] = [];
  for (const { table, use, value, owner, prefix } of SAMPLES) {
    if (!tables.includes(table)) continue;
    const rows: { sealed: string; owner: string }[] = await db.knex.raw(
      "SELECT min(??) AS sealed, ?? AS owner FROM ?? WHERE ?? LIKE 'v1.%.%' GROUP BY substr(??, 1, 11)",
      [value, owner, table, value, value],
    );
    for (const row of rows) found.push({ table, use, sealed: row.sealed, owner: prefix + row.owner });
  }
  return found;
}

/** Hash of the newest entry of the audit log. */
export async function auditHead({ db }: Database): Promise<string | null> {
  if (!(await listTables(db)).includes('audit_log')) return null;
  const row: { hash: string } | undefined = await db.knex('audit_log').orderBy('seq', 'desc').first('hash');
  return row?.hash ?? null;
}

/** Where the files are that rows of bundles and of pictures name. */
export async function storedFiles({ db }: Database): Promise<Record<'bundles' | 'media', Set<string>>> {
  const bundles: { location: string }[] = await db.knex('license_bundles').select('location');
  const media: { storage_key: string }[] = await db.knex('media').select('storage_key');
  return {
    bundles: new Set(bundles.map(({ location }) => location)),
    media: new Set(media.map((row) => row.storage_key)),
  };
}
