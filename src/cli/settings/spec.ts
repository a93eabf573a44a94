import { result } from '../answers.ts';
import { outOptions } from '../export/stream-options.ts';
import { secretOptions } from '../frame/secrets.ts';
import type { ArgSpec, CommandSpec, GroupSpec } from '../frame/spec.ts';

const settingsGroup: GroupSpec = {
  path: 'settings',
  summary: 'show and change settings while the server runs',
};

const keyArgument: ArgSpec = {
  name: 'key',
  summary: 'setting, such as licensing.limits.read.max',
  complete: settingKeys,
};

export const groups: readonly GroupSpec[] = [settingsGroup];

/** Settings as a file, from one installation to another. */
const moving: readonly CommandSpec[] = [
  {
    path: 'settings export',
    summary: 'write the settings that differ from their defaults to a file',
    description:
      'Writes JSON that `settings import` reads. Secrets are named without their values, and settings from the environment or the config file are left out.',
    options: outOptions,
    runs: ['L', 'R'],
    examples: ['appctl settings export --out settings.json', 'appctl settings export --json | jq .settings'],
    exits: [4, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.SettingsExportOutput),
    load: () => import('./move.ts').then((actions) => actions.exportSettings),
  },
  {
    path: 'settings import',
    summary: 'apply the settings of a file',
    description:
      'Shows each change and asks first. Either all changes are made or none; settings that the file does not name stay as they are. Keys that this version does not have, and those set by the environment or the config file, are reported and skipped (exit 7).',
    args: [{ name: 'file', summary: 'what `settings export` wrote; - is stdin', complete: 'file' }],
    runs: ['L', 'R'],
    examples: [
      'appctl settings import settings.json --dry-run',
      'appctl settings import settings.json --yes',
    ],
    confirm: 'moderate',
    exits: [4, 7, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.SettingsImportOutput),
    load: () => import('./move.ts').then((actions) => actions.importSettings),
  },
];

export const commands: readonly CommandSpec[] = [
  {
    path: 'settings list',
    summary: 'list every setting with value and default',
    options: [
      { name: 'group', value: 'GROUP', summary: 'only settings of this group' },
      { name: 'changed', summary: 'only settings that differ from their default' },
    ],
    runs: ['L', 'R'],
    examples: ['appctl settings list', 'appctl settings list --changed --json'],
    exits: [4],
    output: () => import('./schemas.ts').then((schemas) => schemas.SettingsListOutput),
    load: () => import('./list.ts').then((actions) => actions.listSettings),
  },
  {
    path: 'settings get',
    summary: 'print one setting',
    args: [keyArgument],
    options: [{ name: 'reveal', summary: 'print a secret instead of ***' }],
    runs: ['L', 'R'],
    examples: ['appctl settings get licensing.default_lease_seconds'],
    exits: [3, 4],
    output: () => import('./schemas.ts').then((schemas) => schemas.SettingsGetOutput),
    load: () => import('./list.ts').then((actions) => actions.getSetting),
  },
  {
    path: 'settings set',
    summary: 'change one setting; a running server applies it within 2 s',
    description:
      'VALUE is a text, a number, a switch (on, off, true, false, 1, 0, yes, no) or JSON, depending on the setting. Set a secret setting with --value-stdin, --value-file or --value-env.',
    args: [keyArgument, { name: 'value', summary: 'new value', optional: true }],
    options: [
      ...secretOptions('value', 'the value'),
      { name: 'json-value', summary: 'read VALUE only as JSON' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl settings set licensing.default_lease_seconds 900',
      'appctl settings set licensing.limits.enabled off --dry-run',
    ],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.SettingsSetOutput),
    load: () => import('./set.ts').then((actions) => actions.setSetting),
  },
  {
    path: 'settings unset',
    summary: 'reset one setting to its default',
    args: [keyArgument],
    runs: ['L', 'R'],
    examples: ['appctl settings unset licensing.default_lease_seconds'],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: result('unset'),
    load: () => import('./set.ts').then((actions) => actions.unsetSetting),
  },
  ...moving,
];

async function settingKeys() {
  const { completeSettingKeys } = await import('./list.ts');
  return completeSettingKeys;
}
