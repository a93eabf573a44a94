import type { NamedFiles } from '#kernel/check.ts';
import type { Database } from '#kernel/db/database.ts';
import { listTables } from '#kernel/db/schema.ts';
import type { StoredName } from '#kernel/storage/kept-notes.ts';
import { isLocation, isPartLocation } from '#kernel/storage/location.ts';

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

/** Where bundles are that have a row, also those that were deleted or will be. */
export async function knownBundles({ db }: Database): Promise<ReadonlySet<string>> {
  const bundles: { location: string }[] = await db.knex('license_bundles').select('location');
  return new Set(bundles.map(({ location }) => location));
}

/** Columns with the location of a file that somebody would miss. */
const NAMING = [
  {
    storage: 'bundles',
    table: 'license_bundles',
    key: 'sha256',
    columns: ['location'],
    present: 'removed_at',
    // A row of bytes that nobody has named yet is written before its file.
    named: { by: 'license_releases', column: 'bundle_sha256' },
  },
  { storage: 'media', table: 'media', key: 'id', columns: ['storage_key', 'variants'] },
  { storage: 'media', table: 'digital_files', key: 'id', columns: ['storage_key'] },
  { storage: 'media', table: 'download_grants', key: 'id', columns: ['storage_key'] },
  { storage: 'media', table: 'customer_photos', key: 'id', columns: ['large_key', 'thumbnail_key'] },
  { storage: 'media', table: 'returns', key: 'id', columns: ['label_key'] },
] as const;
const PAGE = 1000;

/** A file that a row names. */
export interface NamedFile extends StoredName {
  /** How the digest of its bytes begins; null where the row does not say that. */
  readonly version: string | null;
}

/**
 * Every file that a row names: bundles of releases, pictures and their sizes, files that are sold, photos of customers,
 * labels.
 */
export async function* namedFiles({ db }: Pick<Database, 'db'>): AsyncGenerator<NamedFile> {
  const tables = await listTables(db);
  for (const naming of NAMING) {
    const { storage, table, key, columns } = naming;
    if (!tables.includes(table)) continue;
    for (let last = ''; ; ) {
      const page = db
        .knex(table)
        .where(key, '>', last)
        .orderBy(key)
        .limit(PAGE)
        .select(key, ...columns);
      if ('present' in naming)
        page
          .whereNull(naming.present)
          .whereIn(
            key,
            db.knex(naming.named.by).whereNotNull(naming.named.column).select(naming.named.column),
          );
      const rows: Record<string, unknown>[] = await page;
      for (const row of rows)
        for (const column of columns)
          for (const named of locationsIn(row[column])) yield { storage, ...named };
      if (rows.length < PAGE) break;
      last = String(rows.at(-1)?.[key]);
    }
  }
}

/** Whether a row names a file at this moment. */
async function isNamed({ db }: Pick<Database, 'db'>, { storage, location }: StoredName): Promise<boolean> {
  const tables = await listTables(db);
  for (const { storage: named, table, columns } of NAMING) {
    if (named !== storage || !tables.includes(table)) continue;
    const rows = db.knex(table);
    for (const column of columns)
      if (column !== 'variants') rows.orWhere(column, location);
      // A location has no character with a meaning there, and stands in JSON as it is.
      else rows.orWhereRaw('CAST(?? AS TEXT) LIKE ?', [column, `%${location}%`]);
    if ((await rows.first(db.knex.raw('1 AS found'))) !== undefined) return true;
  }
  return false;
}

/** The files that rows name, as checks ask for them. */
export const rowFiles: NamedFiles = { all: namedFiles, has: isNamed };

/** The location that a column has, or all of those in its JSON. */
function locationsIn(value: unknown): Omit<NamedFile, 'storage'>[] {
  if (typeof value === 'string' && (isLocation(value) || isPartLocation(value)))
    return [{ location: value, version: null }];
  const object: unknown = typeof value === 'string' && value.startsWith('{') ? JSON.parse(value) : value;
  if (typeof object !== 'object' || object === null) return [];
  return Object.values(object).flatMap((one: { key?: unknown; version?: unknown } | null) =>
    locationsIn(one?.key).map(({ location }) => {
      return { location, version: typeof one?.version === 'string' ? one.version : null };
    }),
  );
}
