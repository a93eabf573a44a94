import type { Clock } from '#kernel/clock.ts';
import { databaseSize } from '#kernel/db/condition.ts';
import { openDatabase } from '#kernel/db/connect.ts';
import { copyTables, planCopy } from '#kernel/db/copy/copy.ts';
import { countRows } from '#kernel/db/copy/rows.ts';
import { describeTables } from '#kernel/db/copy/tables.ts';
import type { Database } from '#kernel/db/database.ts';
import { createMigrator, type Migrator } from '#kernel/db/migrate.ts';
import { copyOnline } from '#kernel/db/online-copy.ts';
import { listTables } from '#kernel/db/schema.ts';
import { syncWhileWritten } from '#kernel/steady-file.ts';
import { readInstallationId, readMasterKeyId } from '#platform/installation/index.ts';
import { migrations } from '../migrations.ts';
import { auditHead } from './queries.ts';
import type { BackupSource } from './source.ts';

/** Whose database an image is of. */
export interface ImageOwner {
  readonly installation: string | null;
  readonly masterKeyId: string | null;
}

/** What a database image holds. */
export interface ImageFacts extends ImageOwner {
  /** Name of the newest migration. */
  readonly schemaVersion: string;
  /** Rows of each table. */
  readonly tables: Readonly<Record<string, number>>;
  /** Hash of the newest entry of the audit log. */
  readonly auditHead: string | null;
}

/** How large an image will be at most, about. */
export const imageBytes = ({ database }: Pick<BackupSource, 'database'>): Promise<number> =>
  databaseSize(database);

/**
 * Makes an image of a database: a SQLite file of one moment, also of a Postgres database.
 *
 * @param target a new file
 * @param onProgress told how much is done of `total`: bytes or rows
 */
export async function makeImage(
  source: BackupSource,
  target: string,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const { database } = source;
  if (database.dialect === 'postgres') return fromPostgres(source, target, onProgress);
  const total = await databaseSize(database);
  await copyOnline(database.displayUrl.slice('sqlite:'.length), target, (bytes) => onProgress(bytes, total));
}

/** Opens a SQLite file that nobody else uses. */
export const openImage = (file: string): Promise<Database> => openFile(file, { create: false });

const openFile = (file: string, options: { create: boolean; scratch?: boolean }): Promise<Database> =>
  openDatabase(`sqlite:${file}`, { ...options, poolSize: 1, busyTimeoutMs: 5000, onError: () => undefined });

export const migratorOf = (database: Database, clock: Clock): Migrator =>
  createMigrator(database, migrations, clock);

async function fromPostgres(
  { database, migrator, clock }: BackupSource,
  target: string,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const { applied } = await migrator.status();
  const newest = applied.at(-1)?.name;
  const image = await openFile(target, { create: true, scratch: true });
  try {
    if (newest !== undefined) await migratorOf(image, clock).up({ to: newest });
    let isOver = false;
    const copying = database
      .snapshot(async (db) => {
        const plan = await planCopy(db, image.db);
        const total = plan.tables.reduce((sum, { rows }) => sum + rows, 0);
        const options = { keepSame: false, onProgress: (rows: number) => onProgress(rows, total) };
        const wrong = (await copyTables(db, image, plan, options)).filter(({ checksumOk }) => !checksumOk);
        if (wrong.length > 0)
          throw new Error(
            `the image differs from the database in: ${wrong.map(({ name }) => name).join(', ')}`,
          );
      })
      .finally(() => {
        isOver = true;
      });
    const syncing = syncWhileWritten(target, () => isOver);
    // The image is closed when neither uses it any more.
    for (const ended of await Promise.allSettled([copying, syncing]))
      if (ended.status === 'rejected') throw ended.reason;
  } finally {
    await image.close();
  }
}

/** Reads what an image says of itself. */
export async function readFacts(image: Database, clock: Clock): Promise<ImageFacts> {
  const { applied, unknown } = await migratorOf(image, clock).status();
  return {
    schemaVersion: [...applied.map(({ name }) => name), ...unknown].sort().at(-1) ?? '',
    ...(await readOwner(image)),
    tables: await countTables(image),
    auditHead: await auditHead(image),
  };
}

/** Reads whose database an image is of. */
export async function readOwner(image: Database): Promise<ImageOwner> {
  if (!(await listTables(image.db)).includes('settings')) return { installation: null, masterKeyId: null };
  return { installation: await readInstallationId(image), masterKeyId: await readMasterKeyId(image) };
}

/** Rows of each table of the program. */
export async function countTables(database: Database): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const table of await describeTables(database.db))
    rows[table.name] = await countRows(database.db, table);
  return rows;
}
