import { change, defineEvents } from '#kernel/events.ts';
import type { ImportReport, Kind } from '../portability/index.ts';

/** What staff asks to be written to a file; that it was written, and how many rows, is told as of every export. */
export interface ExportTold {
  entities: readonly Kind[];
  format: 'csv' | 'jsonl';
  keys: 'included' | 'omitted';
  allTenants: boolean;
}

export const exportEvents = defineEvents(
  'license',
  {
    EXPORT_STARTED: change<ExportTold>(),
    EXPORT_FETCHED: change<{ bytes: number }>(),
    EXPORT_REMOVED: change<Record<string, never>>(),
  },
  { target: 'exports' },
);

/** What an import was told to do. */
export interface ImportTold {
  entity: 'licenses' | 'customers';
  source: string;
  dryRun: boolean;
  allTenants: boolean;
}

export const transferImportEvents = defineEvents(
  'license',
  {
    IMPORT_STARTED: change<ImportTold>(),
    IMPORT_ENDED: change<Omit<ImportReport, 'warnings' | 'errors'>>(),
  },
  { target: 'imports' },
);
