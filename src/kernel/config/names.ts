import { nearest } from '../edit-distance.ts';
import type { Environment } from '../environment.ts';
import type { SettingPins } from './config.ts';
import type { ConfigProblem } from './errors.ts';
import { configTable, settingPrefix, sourceVariables } from './table.ts';

const prefix = 'APPCTL_';

/** Every APPCTL_ name that means something, with its `_FILE` form. */
export const knownVariables: ReadonlySet<string> = new Set([
  ...configTable.flatMap((row) => [
    row.env,
    `${row.env}_FILE`,
    ...(row.alias === undefined ? [] : [row.alias]),
  ]),
  sourceVariables.configFile,
  sourceVariables.envFile,
]);

/**
 * Looks for misspelt APPCTL_ names (cli.md section 5): at most two edits and at most a quarter of the known
 * name's length away is an error; any other unknown name is a warning.
 */
export function checkVariableNames(env: Environment): {
  problems: ConfigProblem[];
  warnings: ConfigProblem[];
} {
  const problems: ConfigProblem[] = [];
  const warnings: ConfigProblem[] = [];
  for (const name of Object.keys(env)) {
    if (!name.startsWith(prefix) || name.startsWith(settingPrefix) || knownVariables.has(name)) continue;
    const meant = nearest(name, knownVariables, (known) => Math.min(2, Math.floor(known.length / 4)));
    if (meant === undefined) {
      warnings.push({
        key: name,
        message: 'is not a known variable',
        hint: 'appctl config show lists the names',
      });
    } else {
      problems.push({
        key: name,
        message: `is not a known variable; did you mean ${meant}?`,
        hint: `rename it to ${meant}`,
      });
    }
  }
  return { problems, warnings };
}

/**
 * Collects the runtime settings that the environment pins.
 * `APPCTL_SETTING_WEBHOOKS__TIMEOUT` pins `webhooks.timeout`; an empty text is a value.
 */
export function readSettingPins(env: Environment): SettingPins {
  const pins = new Map<string, { text: string; by: string }>();
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(settingPrefix) || text === undefined) continue;
    const key = name.slice(settingPrefix.length).toLowerCase().replaceAll('__', '.');
    if (key !== '') pins.set(key, { text, by: name });
  }
  return pins;
}
