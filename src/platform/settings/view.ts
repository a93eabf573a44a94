import { z } from 'zod';
import { later } from '#kernel/sharing.ts';

/** JSON types of settings. */
export const SETTING_TYPES = ['boolean', 'integer', 'number', 'string', 'array', 'object', 'any'] as const;

/** A setting as staff see it; a secret shows as `***`. */
export const SettingView = later(() =>
  z
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
      /** When the stored value was set, and by whom; absent while the default is in force. */
      updatedAt: z.iso.datetime().optional(),
      updatedBy: z.string().optional(),
    })
    .meta({ id: 'Setting' }),
);
export type SettingView = z.output<typeof SettingView>;

/** What became of a setting; a secret shows as `***`. */
export const SettingChange = later(() =>
  z.object({ key: z.string(), old: z.unknown(), new: z.unknown() }).meta({ id: 'SettingChange' }),
);
export type SettingChange = z.output<typeof SettingChange>;

/** What became of settings that came from another installation. */
export const SettingsApplied = later(() =>
  z
    .object({
      changes: z.array(SettingChange),
      /** How many had their value already. */
      unchanged: z.int().min(0),
      /** Left as they are: the configuration fixes them. */
      pinned: z.array(z.object({ key: z.string(), pinnedBy: z.string() })),
      /** Left out: this version does not have them. */
      unknown: z.array(z.string()),
    })
    .meta({ id: 'SettingsApplied' }),
);
export type SettingsApplied = z.output<typeof SettingsApplied>;
