import type { CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';

/** How the running server of a data directory is replaced. */
export const restart: CommandSpec = {
  path: 'restart',
  summary: 'replace the running server without refusing a request',
  description:
    'The running server starts its successor on the same sockets. When the successor is healthy, the old server finishes its requests and exits. If the new one does not start, the old one keeps serving. Where systemd runs the server, the command runs systemctl restart.',
  options: [],
  runs: ['S'],
  examples: ['appctl restart', 'appctl restart --json | jq .pid'],
  exits: [5, 9],
  output: () => import('./schemas.ts').then((schemas) => schemas.RestartOutput),
  load: () => import('./restart.ts').then((actions) => actions.restart),
};

/** How it is emptied. */
export const drain: CommandSpec = {
  path: 'drain',
  summary: 'take the running server out of a load balancer',
  description:
    'GET /api/ready answers 503 from now on, and the server begins no jobs or deliveries. It still answers every request. Stop the server when the load balancer sends no more, or undo it with --off. A restart undoes it too.',
  options: [{ name: 'off', summary: 'take new work again' }],
  runs: ['S'],
  examples: ['appctl drain', 'appctl drain --off'],
  exits: [9],
  output: () => import('./schemas.ts').then((schemas) => schemas.DrainOutput),
  load: () => import('./restart.ts').then((actions) => actions.drain),
};

export const groups: readonly GroupSpec[] = [
  { path: 'service', summary: 'run appctl as a service of systemd' },
];

const unitOptions: readonly OptionSpec[] = [
  { name: 'name', value: 'NAME', summary: 'name of the service and of its folders (default: appctl)' },
  { name: 'scope', value: 'SCOPE', summary: 'of the machine or of this user', choices: ['system', 'user'] },
  {
    name: 'user',
    value: 'NAME',
    summary: 'account that exists already (default: one with the name of the service, which is created)',
  },
  {
    name: 'unit-env-file',
    value: 'FILE',
    summary: 'file with environment variables (default: /etc/NAME/appctl.env)',
    complete: 'file',
  },
  { name: 'exe', value: 'FILE', summary: 'executable to start (default: this one)', complete: 'file' },
  {
    name: 'root',
    value: 'DIR',
    summary: 'write below this folder, and do not call systemctl',
    complete: 'file',
  },
];

const output = () => import('./schemas.ts').then((schemas) => schemas.ServiceOutput);

export const commands: readonly CommandSpec[] = [
  {
    path: 'service print',
    summary: 'print the systemd units of a service',
    description:
      'The service runs as its own user and can write only to its data directory. Its socket units listen on the configured addresses, so that a restart refuses no connection.',
    options: unitOptions,
    runs: ['O'],
    examples: ['appctl service print', 'appctl service print --json | jq -r .unit'],
    exits: [],
    output,
    load: () => import('./service.ts').then((actions) => actions.printService),
  },
  {
    path: 'service install',
    summary: 'install and start appctl as a service',
    description:
      'Creates the account appctl, and writes the units, /etc/appctl/master.key and /etc/appctl/appctl.toml where they are missing, then enables and starts the service. Units that it wrote before are replaced, and a service that runs goes on with the new ones. Run it as root, or with --scope user.',
    options: unitOptions,
    runs: ['O'],
    examples: ['sudo appctl service install', 'appctl service install --scope user --dry-run'],
    exits: [4, 5],
    confirm: 'mild',
    output,
    load: () => import('./service.ts').then((actions) => actions.installService),
  },
  {
    path: 'service uninstall',
    summary: 'stop and remove the service; its data stays',
    options: unitOptions,
    runs: ['O'],
    examples: ['sudo appctl service uninstall --yes'],
    exits: [3, 4, 5],
    confirm: 'moderate',
    output,
    load: () => import('./service.ts').then((actions) => actions.uninstallService),
  },
];
