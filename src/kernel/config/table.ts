import type { ConfigKey } from './key.ts';
import { processKeys } from './keys-process.ts';
import { serviceKeys } from './keys-service.ts';
import { updateKeys } from './keys-update.ts';
import type { KindName, KindValue } from './kinds.ts';

/** The configuration table (cli.md section 5) in the order of resolution: data_dir, listen and tls come first. */
const rows = [...processKeys, ...serviceKeys, ...updateKeys] as const;

type Row = (typeof rows)[number];
export type ConfigKeyName = Row['key'];

type RowOf<K extends ConfigKeyName> = Extract<Row, { readonly key: K }>;
type RequiredValue<R> = R extends { readonly kind: infer K extends KindName } ? KindValue<K> : never;
/** The parsed value of a key; undefined is possible only where the table has no default. */
export type ConfigValue<K extends ConfigKeyName> =
  | RequiredValue<RowOf<K>>
  | (RowOf<K> extends { readonly default: null } ? undefined : never);

export type KnownKey = ConfigKey & { readonly key: ConfigKeyName };
export const configTable: readonly KnownKey[] = rows;

const byKey = new Map<string, KnownKey>(configTable.map((row) => [row.key, row]));

/** Returns the row of a key, or undefined for an unknown one. */
export function findConfigKey(key: string): KnownKey | undefined {
  return byKey.get(key);
}

/** Variables that choose sources and set no key. `APPCTL_ENV_FILE` is a name of its own, no `_FILE` form. */
export const sourceVariables = { configFile: 'APPCTL_CONFIG', envFile: 'APPCTL_ENV_FILE' } as const;
/** Flags that choose sources and set no key. */
export const sourceFlags = { configFile: '--config', envFile: '--env-file' } as const;
/** `APPCTL_SETTING_STORE_NAME` pins the runtime setting `store_name`. */
export const settingPrefix = 'APPCTL_SETTING_';
