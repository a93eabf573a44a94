import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

const configGroup: GroupSpec = { path: 'config', summary: 'show, check and write the configuration' };

export const groups: readonly GroupSpec[] = [configGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'config show',
    summary: 'print configuration values, and where each comes from',
    description:
      'KEY is a configuration key such as database.url, or a group such as database. Without KEY every key is shown.',
    args: [
      {
        name: 'key',
        summary: 'keys or groups to show',
        optional: true,
        variadic: true,
        complete: configKeys,
      },
    ],
    options: [
      { name: 'sources', summary: 'also print the flag, variable or file that set the value' },
      { name: 'reveal', summary: 'print secrets instead of ****' },
    ],
    runs: ['O'],
    examples: [
      'appctl config show',
      'appctl config show listen --sources',
      'appctl config show database.url --json | jq -r \'.["database.url"].value\'',
    ],
    exits: [3],
    output: () => import('./schemas.ts').then((schemas) => schemas.ConfigShowOutput),
    load: () => import('./show.ts').then((actions) => actions.showConfig),
  },
  {
    path: 'config check',
    summary: 'check the configuration without starting anything',
    options: [{ name: 'connect', summary: 'also open the database, and write to and read from the storage' }],
    runs: ['O'],
    examples: ['appctl config check', 'appctl config check --config /etc/appctl/appctl.toml --connect'],
    exits: [9],
    output: () => import('./schemas.ts').then((schemas) => schemas.ConfigCheckOutput),
    load: () => import('./check.ts').then((actions) => actions.checkConfig),
  },
  {
    path: 'config init',
    summary: 'write a commented configuration file',
    options: [
      {
        name: 'out',
        value: 'FILE',
        summary: 'file to write; - for stdout',
        default: './appctl.toml',
        complete: 'file',
      },
      { name: 'full', summary: 'include every key, not only the common ones' },
    ],
    runs: ['O'],
    examples: ['appctl config init', 'appctl config init --full --out /etc/appctl/appctl.toml'],
    confirm: 'mild',
    exits: [5],
    output: () => import('./schemas.ts').then((schemas) => schemas.ConfigInitOutput),
    load: () => import('./init.ts').then((actions) => actions.initConfig),
  },
  {
    path: 'config path',
    summary: 'print which files and which data directory would be used',
    runs: ['O'],
    examples: ['appctl config path', 'appctl config path --json | jq -r .dataDir'],
    output: () => import('./schemas.ts').then((schemas) => schemas.ConfigPathOutput),
    load: () => import('./path.ts').then((actions) => actions.printConfigPath),
  },
];

async function configKeys() {
  const { completeConfigKeys } = await import('./show.ts');
  return completeConfigKeys;
}
