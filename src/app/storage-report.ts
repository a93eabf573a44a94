import { statfsSync } from 'node:fs';
import { largestTables, walBytes } from '#kernel/db/condition.ts';
import { sizeText } from '#kernel/size-words.ts';
import { availableBytes } from '#kernel/storage/room.ts';
import { inboundSpool } from '#licensing/purchases/inbox/index.ts';
import type { Instance } from './instance.ts';

/** What an installation takes on disk, as the system page shows it. */
export interface Storage {
  readonly database: string;
  /** SQLite's write-ahead log; null for Postgres. */
  readonly wal: string | null;
  /** Free on the disk of the data directory; null where the system does not say. */
  readonly free: string | null;
  readonly spool: { readonly files: number; readonly size: string; readonly bad: number };
  readonly tables: readonly { readonly name: string; readonly size: string; readonly rows: string }[];
}

const MOST_TABLES = 10;

/** Sizes of database, spool and disk, and the largest tables. @param databaseBytes that the whole of it takes */
export async function storageOf(
  { ctx, config, database }: Pick<Instance, 'ctx' | 'config' | 'database'>,
  databaseBytes: number,
): Promise<Storage> {
  const { files, bytes, bad } = inboundSpool.state(ctx);
  const wal = walBytes(database);
  const free = freeBytes(config.dataDir);
  const tables = await largestTables(database, MOST_TABLES, databaseBytes);
  return {
    database: sizeText(databaseBytes),
    wal: wal === null ? null : sizeText(wal),
    free: free === null ? null : sizeText(free),
    spool: { files, size: sizeText(bytes), bad },
    tables: tables.map(({ name, bytes, rows }) => ({
      name,
      size: bytes === null ? '–' : sizeText(bytes),
      rows: rows === null ? '–' : rows.toLocaleString('en'),
    })),
  };
}

function freeBytes(folder: string): number | null {
  try {
    const bytes = availableBytes(statfsSync(folder));
    return Number.isFinite(bytes) ? bytes : null;
  } catch {
    return null;
  }
}
