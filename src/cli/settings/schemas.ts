import { z } from 'zod';

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
