import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadConfig } from '#kernel/config/load.ts';
import type { ConfigKeyName } from '#kernel/config/table.ts';
import { renderConfigFile } from '#kernel/config/template.ts';
import { writePrivateFile } from '#kernel/private-files.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError } from '../frame/errors.ts';
import type { SetupPlan } from './plan.ts';

/** Keys that setup may be given. */
const KEYS: readonly ConfigKeyName[] = ['data_dir', 'database.url', 'base_url'];

/** A configuration file that setup is going to write: mode 0600, it may hold the database's password. */
export interface PlannedFile {
  path: string;
  write(): void;
}

/**
 * Plans the configuration file: only values that came from flags or answers and differ from the defaults, in
 * --write-config, else in `{data_dir}/appctl.toml` when there is none yet (cli.md section 6.2).
 *
 * @throws CliError (5) when the named file exists and --force is not given
 */
export async function planConfigFile(cli: Cli, plan: SetupPlan): Promise<PlannedFile | null> {
  const { dataDir } = plan.loaded.config;
  const named = plan.writeConfig === null ? null : resolve(plan.writeConfig);
  const path = named ?? join(dataDir, 'appctl.toml');
  // The file in the data directory cannot say where the data directory is.
  const values = await changedValues(cli, plan, named === null ? ['data_dir'] : []);
  if (named === null && values.size === 0) return null;
  if (existsSync(path) && !(named !== null && plan.force)) {
    if (named !== null) throw conflictError(`${path} exists`, 'choose another file, or add --force');
    cli.warn(
      `${path} exists and is left as it is: ${[...values.keys()].join(', ')} must be set there or with flags`,
    );
    return null;
  }
  return { path, write: () => writePrivateFile(path, renderConfigFile(values)) };
}

async function changedValues(
  cli: Cli,
  { loaded, configFlags }: SetupPlan,
  without: readonly ConfigKeyName[],
): Promise<Map<string, string>> {
  const rest = Object.fromEntries(
    Object.entries(configFlags).filter(([name]) => name !== '--db' && name !== '--base-url'),
  );
  const plain = await loadConfig({ ...cli.configInput(), flags: rest });
  const values = new Map<string, string>();
  for (const key of KEYS.filter((one) => !without.includes(one))) {
    const { source, value } = loaded.entries[key];
    const isDefault = plain.entries[key].value === value && plain.entries[key].source !== 'flag';
    if (source === 'flag' && !isDefault && value !== null) values.set(key, String(value));
  }
  return values;
}
