import { page } from '../answers.ts';
import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

const schemas = () => import('./schemas.ts');

export const login: CommandSpec = {
  path: 'login',
  summary: 'sign in to a server, so that commands run on it from here',
  description:
    'Asks for your email address, password and, if your account uses one, the code from the authenticator app. The login is stored in ~/.config/appctl/profiles/NAME.json, which only you can read, and lasts 30 days. It may do what your account may do, and ends with appctl logout, with a new password and when the account is disabled. Signing in again under the same profile ends the earlier login. Commands use it with --profile NAME, APPCTL_PROFILE or --server URL.',
  args: [{ name: 'url', summary: 'address of the server' }],
  options: [
    { name: 'email', value: 'EMAIL', summary: 'email address of your account; asked for on a terminal' },
    ...secretOptions('password', 'your password'),
    { name: 'code', value: 'CODE', summary: 'six digits from the authenticator app' },
    {
      name: 'recovery-code',
      value: 'CODE',
      summary: 'recovery code, instead of the app',
      conflicts: ['code'],
    },
    {
      name: 'ca-file',
      value: 'FILE',
      summary: 'certificate of a private authority to trust for this server (PEM)',
      complete: 'file',
    },
  ],
  runs: ['R'],
  examples: [
    'appctl login https://licenses.example.com',
    'appctl login https://licenses.example.com --profile main --email ann@example.com --password-stdin',
  ],
  exits: [9],
  output: async () => (await schemas()).LoginShape,
  load: () => import('./login.ts').then((actions) => actions.logIn),
};

export const logout: CommandSpec = {
  path: 'logout',
  summary: 'end a saved login',
  description:
    'Without --profile it ends the only saved login. The server revokes it too. If the server cannot be reached, the login is only removed from this machine, and a warning says how long it stays valid there and how to end it.',
  runs: ['R'],
  examples: ['appctl logout', 'appctl logout --profile main'],
  output: async () => (await schemas()).LogoutShape,
  load: () => import('./logout.ts').then((actions) => actions.logOut),
};

export const whoami: CommandSpec = {
  path: 'whoami',
  summary: 'show who you are on a server and what you may do there',
  description: 'Without --profile and --server it asks the server of the only saved login.',
  runs: ['R'],
  examples: ['appctl whoami', 'appctl whoami --profile main --json | jq -r ".permissions[]"'],
  exits: [9],
  output: async () => (await schemas()).WhoamiShape,
  load: () => import('./whoami.ts').then((actions) => actions.showWhoami),
};

export const profileGroup: GroupSpec = { path: 'profile', summary: 'show saved logins to servers' };

export const profileList: CommandSpec = {
  path: 'profile list',
  summary: 'list the saved logins of this machine',
  runs: ['O'],
  examples: ['appctl profile list', 'appctl profile list --json | jq -r ".items[].server"'],
  output: page(schemas, 'ProfileShape'),
  load: () => import('./profiles.ts').then((actions) => actions.listProfiles),
};
