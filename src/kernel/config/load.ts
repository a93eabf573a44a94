import { processEnvironment } from '../environment.ts';
import { buildConfig, type Config, type SettingPins } from './config.ts';
import { ConfigError, type ConfigProblem } from './errors.ts';
import { holdsPassword } from './mask.ts';
import { checkVariableNames, readSettingPins } from './names.ts';
import { type ConfigEntry, Resolver } from './resolve.ts';
import { checkRules } from './rules.ts';
import {
  type ConfigFiles,
  type ConfigInput,
  findConfigFile,
  readEnvFile,
  readServiceVariables,
  variablesBeside,
} from './sources.ts';
import { type ConfigKeyName, configTable } from './table.ts';

export interface LoadedConfig {
  config: Config;
  /** Value and source of every key; secrets in clear, see maskEntry. */
  entries: Record<ConfigKeyName, ConfigEntry>;
  warnings: ConfigProblem[];
  files: ConfigFiles;
}

function withDefaults(input: ConfigInput): Required<ConfigInput> {
  return {
    flags: input.flags ?? {},
    env: input.env ?? processEnvironment(),
    cwd: input.cwd ?? process.cwd(),
  };
}

const dataDirRow = configTable.find((row) => row.key === 'data_dir')!;

/** The data directory as flags and variables give it: the config file is looked for there. */
function dataDirBeforeFile(input: Required<ConfigInput>): string {
  const resolver = new Resolver({ ...input, file: { path: null, values: new Map() } }, [], []);
  resolver.resolve(dataDirRow);
  return resolver.get('data_dir') ?? input.cwd;
}

/**
 * Says which files and which data directory a run would use, also when the configuration is invalid otherwise.
 * @throws ConfigError when a file that was named cannot be read
 */
export async function locateFiles(input: ConfigInput = {}): Promise<ConfigFiles> {
  const problems: ConfigProblem[] = [];
  const { files, resolver } = await resolveAll(withDefaults(input), problems, []);
  const sourceProblems = problems.filter((problem) => problem.key.startsWith('--'));
  if (sourceProblems.length > 0) throw new ConfigError(sourceProblems);
  return { ...files, dataDir: resolver.get('data_dir') ?? files.dataDir };
}

async function resolveAll(
  given: Required<ConfigInput>,
  problems: ConfigProblem[],
  warnings: ConfigProblem[],
) {
  const named = readEnvFile(given, problems);
  const first = { ...given, env: named.env };
  const found = findConfigFile(first, dataDirBeforeFile(first), problems);
  const {
    env,
    path: envFile,
    variables,
  } = named.path === null ? readServiceVariables(named.env, variablesBeside(found.path), problems) : named;
  const input = { ...given, env };
  // Most installations have no such file, and need no reader of it.
  const values =
    found.path === null
      ? new Map()
      : await (await import('./toml.ts')).readToml(found.path, found.text, problems);
  const resolver = new Resolver({ ...input, file: { path: found.path, values } }, problems, warnings);
  for (const row of configTable) resolver.resolve(row);
  const files: ConfigFiles = {
    config: found.path,
    envFile,
    variables,
    dataDir: dataDirBeforeFile(input),
    searched: found.searched,
  };
  return { env, files, resolver };
}

/**
 * Reads the configuration (cli.md section 5): flag > APPCTL_X > file named by APPCTL_X_FILE > config file >
 * default. An empty variable counts as not set, except for passphrases. Relative paths count from `cwd`.
 * @throws ConfigError with every problem found; the command line ends with 78
 */
export async function loadConfig(input: ConfigInput = {}): Promise<LoadedConfig> {
  const problems: ConfigProblem[] = [];
  const warnings: ConfigProblem[] = [];
  const { env, files, resolver } = await resolveAll(withDefaults(input), problems, warnings);
  const names = checkVariableNames(env);
  problems.push(...names.problems);
  warnings.push(...names.warnings);
  const entries = resolver.entries as Record<ConfigKeyName, ConfigEntry>;
  const baseUrlIsSet = entries.base_url.source !== 'default';
  problems.push(...checkRules(resolver, baseUrlIsSet));
  if (problems.length > 0) throw new ConfigError(problems, warnings);
  warnings.push(...passwordsOnTheLine(entries));
  const pins = allPins(entries, readSettingPins(env), warnings);
  const given = { baseUrlIsSet, databaseGiven: entries['database.url'] };
  const config = buildConfig(resolver, given, pins);
  return { config, entries, warnings, files: { ...files, dataDir: config.dataDir } };
}

/** Passwords in flags, which the list of processes shows. */
const passwordsOnTheLine = (entries: Record<ConfigKeyName, ConfigEntry>): ConfigProblem[] =>
  configTable
    .filter(({ key, secret }) => {
      const { source, value } = entries[key];
      return secret === 'url' && source === 'flag' && value !== null && holdsPassword(String(value));
    })
    .map(({ key, env }) => ({
      key,
      message: `other users of this machine can see the password in ${entries[key].name}`,
      hint: `use ${env}_FILE`,
    }));

/** Adds the keys of the table that pin a setting; the table's own key wins over APPCTL_SETTING_X. */
function allPins(
  entries: Record<ConfigKeyName, ConfigEntry>,
  fromVariables: SettingPins,
  warnings: ConfigProblem[],
): SettingPins {
  const pins = new Map(fromVariables);
  for (const { key, pins: setting } of configTable) {
    const { value, source, name } = entries[key];
    if (setting === undefined || value === null) continue;
    const text = String(value);
    const fixed = typeof setting === 'function' ? setting(text) : { [setting]: text };
    const by = source === 'file' ? `${key} in ${name}` : name;
    for (const [one, text] of Object.entries(fixed)) {
      const other = pins.get(one)?.by;
      if (other !== undefined)
        warnings.push({ key: by, message: `overrides ${other}; both are set`, hint: `remove ${other}` });
      pins.set(one, { text, by });
    }
  }
  return pins;
}
