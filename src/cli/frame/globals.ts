import type { Io } from './io.ts';
import type { OptionSpec } from './shape.ts';

/** What a completion of these flags is asked with. */
interface Asking {
  readonly io: Pick<Io, 'env'>;
}

/** Flags accepted before and after the subcommand (cli.md section 1.9). */
export const globalOptions: readonly OptionSpec<Asking>[] = [
  {
    name: 'config',
    short: 'c',
    value: 'FILE',
    summary: 'configuration file (APPCTL_CONFIG)',
    complete: 'file',
  },
  {
    name: 'env-file',
    value: 'FILE',
    summary: 'file that sets variables not set already (APPCTL_ENV_FILE)',
    complete: 'file',
  },
  { name: 'data-dir', value: 'DIR', summary: 'data directory', config: 'data_dir', complete: 'file' },
  { name: 'db', value: 'URL', summary: 'database', config: 'database.url' },
  { name: 'tenant', value: 'SLUG', summary: 'tenant to work on', config: 'tenant' },
  {
    name: 'server',
    value: 'URL',
    summary: 'run on a remote server',
    config: 'server',
    conflicts: ['profile'],
  },
  {
    name: 'profile',
    value: 'NAME',
    summary: 'run on the server of a saved login',
    config: 'profile',
    complete: () => import('../login/completers.ts').then((completers) => completers.completeProfiles),
  },
  { name: 'api-key-file', value: 'FILE', summary: 'key for --server', config: 'api_key', complete: 'file' },
  { name: 'json', summary: 'one JSON document on stdout', conflicts: ['csv', 'plain'] },
  { name: 'fields', value: 'LIST', summary: 'only these JSON fields and columns, separated by commas' },
  { name: 'plain', summary: 'one record per line, tab-separated, no header', conflicts: ['csv'] },
  { name: 'csv', summary: 'CSV with header; formulas and control characters are escaped' },
  { name: 'quiet', short: 'q', summary: 'hide notes and next steps on stderr' },
  { name: 'verbose', short: 'v', summary: 'set the log level to debug', config: 'log.level' },
  {
    name: 'debug',
    summary: 'set the log level to trace, and show the stack of unexpected errors',
    config: 'log.level',
  },
  { name: 'no-color', summary: 'disable color (NO_COLOR)' },
  { name: 'no-input', summary: 'never prompt; exit with 2 instead' },
  { name: 'yes', short: 'y', summary: 'answer yes to moderate confirmations' },
  { name: 'confirm', value: 'NAME', summary: 'name of what is destroyed, for severe confirmations' },
  { name: 'dry-run', short: 'n', summary: 'print the plan and change nothing' },
  {
    name: 'timeout',
    value: 'SEC',
    summary: 'how long to wait for a network answer',
    type: 'integer',
    min: 1,
    max: 86_400,
  },
  { name: 'help', short: 'h', summary: 'show this help' },
];

/** Flags that stand only before a subcommand, because a command may have options of the same name. */
export const rootOptions: readonly OptionSpec<unknown>[] = [
  { name: 'version', short: 'V', summary: 'print the version' },
  {
    name: 'map',
    value: 'FORMAT',
    optionalValue: true,
    summary: 'print every command',
    choices: ['tree', 'paths', 'json'],
  },
];
