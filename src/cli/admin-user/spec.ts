import { change, one, page } from '../answers.ts';
import { secretOptions } from '../frame/secrets.ts';
import type { ArgSpec, CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#platform/accounts/view.ts');
const user: ArgSpec = { name: 'user', summary: 'email address or id of the account' };

/** The schema of a command whose answer no view describes. */
const own = (name: keyof typeof import('./schemas.ts')) => async () => (await import('./schemas.ts'))[name];

const passwordOptions: readonly OptionSpec[] = [
  ...secretOptions('password', 'the password'),
  {
    name: 'generate',
    summary: 'generate a password and print it once',
    conflicts: ['password-file', 'password-stdin', 'password-env'],
  },
  { name: 'must-change-password', summary: 'the next sign-in asks for another password' },
];

const passwordSources = ['password-file', 'password-stdin', 'password-env', 'generate'];

export const groups: readonly GroupSpec[] = [
  { path: 'admin user', summary: 'accounts of staff: who signs in to the panel' },
  { path: 'admin user 2fa', summary: 'two-factor sign-in of an account' },
  { path: 'admin user sessions', summary: 'browsers in which an account is signed in' },
];

const reading: readonly CommandSpec[] = [
  {
    path: 'admin user list',
    summary: 'list the accounts of staff',
    options: pageOptions,
    runs: ['L', 'R'],
    examples: ['appctl admin user list', 'appctl admin user list --json | jq -r ".items[].email"'],
    output: page(views, 'StaffView'),
    load: () => import('./read.ts').then((actions) => actions.listUsers),
  },
  {
    path: 'admin user show',
    summary: 'show one account with its roles and its second factor',
    args: [user],
    runs: ['L', 'R'],
    examples: ['appctl admin user show ann@example.com'],
    exits: [3, 4],
    output: one(views, 'StaffView'),
    load: () => import('./read.ts').then((actions) => actions.showUser),
  },
  {
    path: 'admin user 2fa status',
    summary: 'show whether two-factor sign-in is on',
    args: [user],
    runs: ['L', 'R'],
    examples: ['appctl admin user 2fa status ann@example.com'],
    exits: [3, 4],
    output: own('TwoFactorOutput'),
    load: () => import('./read.ts').then((actions) => actions.showTwoFactor),
  },
  {
    path: 'admin user sessions list',
    summary: 'list where an account is signed in',
    args: [user],
    runs: ['L', 'R'],
    examples: ['appctl admin user sessions list ann@example.com'],
    exits: [3, 4],
    output: own('SessionsOutput'),
    load: () => import('./read.ts').then((actions) => actions.listSessions),
  },
];

const passwords: readonly CommandSpec[] = [
  {
    path: 'admin user create',
    summary: 'add an account of staff',
    description:
      'Its roles decide what it may do; without one it only reaches its own profile. With --invite the answer holds a link under which the person chooses a password, once and within seven days; again, it makes a new link.',
    options: [
      { name: 'email', value: 'EMAIL', summary: 'address to sign in with', required: true },
      { name: 'name', value: 'NAME', summary: 'how the panel calls the person (the part before the @)' },
      {
        name: 'role',
        value: 'ROLE',
        summary: 'what it may do, such as owner, manager or support',
        repeat: true,
      },
      ...passwordOptions,
      {
        name: 'invite',
        summary: 'create a link with which the person chooses a password',
        conflicts: [...passwordSources, 'must-change-password'],
      },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl admin user create --email ann@example.com --role support --invite',
      'appctl admin user create --email bob@example.com --role owner --generate --must-change-password',
      'appctl admin user create --email ci@example.com --role viewer --password-file pw --json | jq -r .id',
    ],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: own('CreateOutput'),
    load: () => import('./create.ts').then((actions) => actions.createUser),
  },
  {
    path: 'admin user reset-password',
    summary: 'reset the password of an account, or create a link to choose one',
    description:
      'Another password ends all sessions of the account and lifts a lock; its second factor stays. With --link nothing changes until the person uses the link, which works once and for one hour.',
    args: [user],
    options: [
      ...passwordOptions,
      {
        name: 'link',
        summary: 'create a link with which the person chooses a password',
        conflicts: [...passwordSources, 'must-change-password'],
      },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl admin user reset-password ann@example.com --link',
      'appctl admin user reset-password ann@example.com --generate --yes',
    ],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output: own('ResetPasswordOutput'),
    load: () => import('./password.ts').then((actions) => actions.resetPassword),
  },
  {
    path: 'admin login-link',
    summary: 'create a link that signs in to the panel once',
    description:
      'For scripts, and for whoever runs the server. The link replaces the password, not the second factor.',
    args: [user],
    options: [{ name: 'ttl', value: '5m', summary: 'how long it works', type: 'duration', default: '5m' }],
    runs: ['L', 'R'],
    examples: ['appctl admin login-link ann@example.com', 'appctl admin login-link ann@example.com --ttl 1h'],
    confirm: 'mild',
    dryRun: false,
    exits: [3, 4, 5],
    output: own('LinkOutput'),
    load: () => import('./password.ts').then((actions) => actions.makeLoginLink),
  },
];

const changing: readonly CommandSpec[] = [
  {
    path: 'admin user disable',
    summary: 'close an account: its sessions and its tokens end at once',
    args: [user],
    runs: ['L', 'R'],
    examples: ['appctl admin user disable ann@example.com'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output: change(views, 'StaffView'),
    load: () => import('./change.ts').then((actions) => actions.disableUser),
  },
  {
    path: 'admin user enable',
    summary: 'open a closed account again',
    args: [user],
    runs: ['L', 'R'],
    examples: ['appctl admin user enable ann@example.com'],
    confirm: 'mild',
    exits: [3, 4],
    output: change(views, 'StaffView'),
    load: () => import('./change.ts').then((actions) => actions.enableUser),
  },
  {
    path: 'admin user delete',
    summary: 'delete an account; the record of what it did stays',
    args: [user],
    runs: ['L', 'R'],
    examples: ['appctl admin user delete ann@example.com --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    output: change(views, 'StaffView'),
    load: () => import('./change.ts').then((actions) => actions.deleteUser),
  },
  {
    path: 'admin user unlock',
    summary: 'end the lock of an account after ten wrong passwords',
    args: [user],
    runs: ['L', 'R'],
    examples: ['appctl admin user unlock ann@example.com'],
    confirm: 'mild',
    exits: [3, 4],
    output: change(views, 'StaffView'),
    load: () => import('./change.ts').then((actions) => actions.unlockUser),
  },
  {
    path: 'admin user 2fa reset',
    summary: 'turn off two-factor sign-in for somebody who lost the app and the recovery codes',
    args: [user],
    runs: ['L', 'R'],
    examples: ['appctl admin user 2fa reset ann@example.com'],
    confirm: 'moderate',
    exits: [3, 4, 10],
    output: own('TwoFactorOutput'),
    load: () => import('./change.ts').then((actions) => actions.resetTwoFactor),
  },
  {
    path: 'admin user sessions revoke',
    summary: 'sign an account out everywhere',
    args: [user],
    options: [{ name: 'session', value: 'ID', summary: 'only this session' }],
    runs: ['L', 'R'],
    examples: ['appctl admin user sessions revoke ann@example.com'],
    confirm: 'moderate',
    exits: [3, 4, 10],
    output: own('RevokedOutput'),
    load: () => import('./change.ts').then((actions) => actions.revokeSessions),
  },
];

export const commands: readonly CommandSpec[] = [...passwords, ...reading, ...changing];
