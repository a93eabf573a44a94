import { z } from 'zod';
import { SettingsFile } from './file.ts';

/** JSON of any form; a secret shows as `***`. */
const Value = z.json();
const dryRun = z.literal(true).optional();

export const SettingsListOutput = z.strictObject({
  items: z.array(
    z.strictObject({
      key: z.string(),
      value: Value,
      default: Value,
      type: z.enum(['boolean', 'integer', 'number', 'string', 'array', 'object', 'any']),
      group: z.string(),
      description: z.string(),
      /** Environment variable that fixes it. */
      pinnedBy: z.string().optional(),
      /** When the stored value was set, and by whom. */
      updatedAt: z.string().optional(),
      updatedBy: z.string().optional(),
    }),
  ),
  pagination: z.strictObject({ page: z.int(), limit: z.int(), total: z.int(), totalPages: z.int() }),
});

export const SettingsGetOutput = z.strictObject({
  key: z.string(),
  value: Value,
  source: z.enum(['environment', 'database', 'default']),
});

export const SettingsSetOutput = z.strictObject({ key: z.string(), old: Value, new: Value, dryRun });

/** The file itself on stdout, or what was written to `--out`. */
export const SettingsExportOutput = z.union([
  SettingsFile,
  z.strictObject({ file: z.string(), settings: z.int(), secrets: z.array(z.string()) }),
]);

export const SettingsImportOutput = z.strictObject({
  changed: z.array(z.strictObject({ key: z.string(), old: Value, new: Value })),
  unchanged: z.int(),
  pinned: z.array(z.strictObject({ key: z.string(), pinnedBy: z.string() })),
  unknown: z.array(z.string()),
  /** Secrets that were set where the file comes from. */
  secrets: z.array(z.string()),
  dryRun,
});
