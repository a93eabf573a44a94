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
  { name: 'must-change-password', summary: 'require a new password at the next sign-in' },
];

const passwordSources = ['password-file', 'password-stdin', 'password-env', 'generate'];

export const groups: readonly GroupSpec[] = [
  { path: 'admin user', summary: 'staff accounts: who can sign in to the panel' },
  { path: 'admin user 2fa', summary: 'two-factor sign-in for an account' },
  { path: 'admin user sessions', summary: 'browsers where an account is signed in' },
];

const reading: readonly CommandSpec[] = [
  {
    path: 'admin user list',
    summary: 'list the staff accounts',
    options: pageOptions,
    runs: ['L', 'R'],
    examples: ['appctl admin user list', 'appctl admin user list --json | jq -r ".items[].email"'],
    output: page(views, 'StaffView'),
    load: () => import('./read.ts').then((actions) => actions.listUsers),
  },
  {
    path: 'admin user show',
    summary: 'show one account with its roles and two-factor status',
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
    summary: 'create a staff account',
    description:
      'Roles decide what the account may do; without a role it can only open its own profile. With --invite the answer contains a link where the person chooses a password. The link works once, within seven days; run the command again for a new one.',
    options: [
      { name: 'email', value: 'EMAIL', summary: 'address to sign in with', required: true },
      { name: 'name', value: 'NAME', summary: 'name shown in the panel (the part before the @)' },
      {
        name: 'role',
        value: 'ROLE',
        summary: 'what it may do, such as owner, manager or support',
        repeat: true,
      },
      ...passwordOptions,
      {
        name: 'invite',
        summary: 'create a link where the person chooses a password',
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
      'A new password ends all sessions of the account and unlocks it; two-factor sign-in stays as it is. With --link nothing changes until the person uses the link, which works once, within one hour.',
    args: [user],
    options: [
      ...passwordOptions,
      {
        name: 'link',
        summary: 'create a link where the person chooses a password',
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
      'For scripts and server operators. The link replaces the password, but not two-factor sign-in.',
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
    summary: 'disable an account; its sessions and tokens end immediately',
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
    summary: 'enable a disabled account again',
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
    summary: 'delete an account; its audit log entries stay',
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
    summary: 'unlock an account that was locked after ten wrong passwords',
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
    options: [{ name: 'session', value: 'ID', summary: 'end only this session' }],
    runs: ['L', 'R'],
    examples: ['appctl admin user sessions revoke ann@example.com'],
    confirm: 'moderate',
    exits: [3, 4, 10],
    output: own('RevokedOutput'),
    load: () => import('./change.ts').then((actions) => actions.revokeSessions),
  },
];

export const commands: readonly CommandSpec[] = [...passwords, ...reading, ...changing];
