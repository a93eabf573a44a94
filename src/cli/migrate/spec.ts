import type { CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';

const migrateGroup: GroupSpec = {
  path: 'migrate',
  summary: 'apply, show and check database migrations',
};

const stepOption: OptionSpec = {
  name: 'step',
  value: 'N',
  summary: 'at most this many steps',
  type: 'integer',
  min: 1,
  max: 1000,
};

export const groups: readonly GroupSpec[] = [migrateGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'migrate status',
    summary: 'show applied and pending migrations',
    runs: ['L'],
    examples: ['appctl migrate status', 'appctl migrate status --json | jq .pending'],
    exits: [8],
    output: () => import('./schemas.ts').then((schemas) => schemas.MigrateStatusOutput),
    load: () => import('./status.ts').then((actions) => actions.showStatus),
  },
  {
    path: 'migrate up',
    summary: 'apply pending migrations',
    description:
      'Each step runs in its own transaction, in one process at a time. The database is backed up first (appctl backup list), unless it is empty.',
    options: [
      { name: 'to', value: 'NAME', summary: 'stop after this migration' },
      stepOption,
      { name: 'no-backup', summary: 'do not back up the database first' },
    ],
    runs: ['L'],
    examples: ['appctl migrate up', 'appctl migrate up --step 1 --no-backup'],
    confirm: 'mild',
    exits: [3, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.MigrateUpOutput),
    load: () => import('./up.ts').then((actions) => actions.migrateUp),
  },
  {
    path: 'migrate down',
    summary: 'revert the newest migrations; their tables are dropped',
    description:
      'Without --step, --to or --all it reverts the newest one. Back up first: the data in dropped tables is lost.',
    options: [
      { ...stepOption, summary: 'number of steps (1)', conflicts: ['to', 'all'] },
      { name: 'to', value: 'NAME', summary: 'down to this migration, including it', conflicts: ['all'] },
      { name: 'all', summary: 'every migration' },
    ],
    runs: ['L'],
    examples: ['appctl migrate down --yes', 'appctl migrate down --to 0003-licenses --dry-run'],
    confirm: 'moderate',
    exits: [3, 5, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.MigrateDownOutput),
    load: () => import('./down.ts').then((actions) => actions.migrateDown),
  },
  {
    path: 'migrate verify',
    summary: 'compare the schema with what the migrations produce',
    description:
      'Compares the checksums of applied migrations, then replays them in a scratch place (a temporary file, or a Postgres schema that is rolled back) and compares every table, column, index and check.',
    runs: ['L'],
    examples: ['appctl migrate verify', 'appctl migrate verify --json | jq .drift'],
    exits: [6],
    output: () => import('./schemas.ts').then((schemas) => schemas.MigrateVerifyOutput),
    load: () => import('./verify.ts').then((actions) => actions.verifySchema),
  },
];
