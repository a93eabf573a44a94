import { z } from 'zod';

/** JSON types of settings. */
export const SETTING_TYPES = ['boolean', 'integer', 'number', 'string', 'array', 'object', 'any'] as const;

/** A setting as staff see it; a secret shows as `***`. */
export const SettingView = z
  .object({
    key: z.string(),
    value: z.unknown(),
    default: z.unknown(),
    type: z.enum(SETTING_TYPES),
    group: z.string(),
    description: z.string(),
    /** What of the configuration fixes it: a variable, or a key of the config file. */
    pinnedBy: z.string().optional(),
    /** Whether it differs from its default. */
    changed: z.boolean(),
    isSecret: z.boolean(),
  })
  .meta({ id: 'Setting' });
export type SettingView = z.output<typeof SettingView>;

/** What became of a setting; a secret shows as `***`. */
export const SettingChange = z
  .object({ key: z.string(), old: z.unknown(), new: z.unknown() })
  .meta({ id: 'SettingChange' });
export type SettingChange = z.output<typeof SettingChange>;
