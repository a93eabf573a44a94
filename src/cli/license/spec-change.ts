import type { ArgSpec, CommandSpec, OptionSpec } from '../frame/spec.ts';

const idsArgument: ArgSpec = {
  name: 'id',
  summary: 'id of a license; several run as a batch',
  variadic: true,
};
const reason: OptionSpec = {
  name: 'reason',
  value: 'TEXT',
  summary: 'reason, stored in the timeline',
  required: true,
};

const output: CommandSpec['output'] = () => import('./schemas.ts').then((schemas) => schemas.LicenseOrBatch);

export const changeCommands: readonly CommandSpec[] = [
  {
    path: 'license machines remove',
    summary: 'free the slots of machines',
    description:
      'Removes one machine by its id, all of them, or those not seen for some time. This does not count as a deactivation by the client.',
    args: [
      { name: 'id', summary: 'id of the license' },
      { name: 'machine', summary: 'id of the machine', optional: true },
    ],
    options: [
      { name: 'all', summary: 'every machine', conflicts: ['stale'] },
      { name: 'stale', value: '14d', summary: 'machines not seen for this long', type: 'duration' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl license machines remove lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV machine-0001 --yes',
      'appctl license machines remove lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --stale 14d --yes',
    ],
    confirm: 'moderate',
    exits: [3, 7, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.ActivationBatch),
    load: () => import('./machines.ts').then((actions) => actions.removeMachines),
  },
  {
    path: 'license free-seat',
    summary: 'free the seat of one machine immediately',
    description:
      'Ends the lease of a floating license, or frees the slot of any other. The client finds out at its next call. This does not count as a deactivation by the client.',
    args: [{ name: 'id', summary: 'id of the license' }],
    options: [
      { name: 'machine', value: 'ID', summary: 'machine that holds the seat', conflicts: ['oldest'] },
      { name: 'oldest', summary: 'the machine that has held its seat the longest' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl license free-seat lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --machine machine-0001 --yes',
      'appctl license free-seat lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --oldest --dry-run',
    ],
    confirm: 'moderate',
    exits: [3, 7, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.ActivationBatch),
    load: () => import('./machines.ts').then((actions) => actions.freeSeat),
  },
  {
    path: 'license suspend',
    summary: 'disable licenses until they are resumed; their machines stay',
    args: [idsArgument],
    options: [reason],
    runs: ['L', 'R'],
    examples: ['appctl license suspend lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --reason "payment is late"'],
    confirm: 'mild',
    exits: [3, 5, 7],
    output,
    load: () => import('./state.ts').then((actions) => actions.suspendLicenses),
  },
  {
    path: 'license resume',
    summary: 'resume suspended licenses: ACTIVE again, or EXPIRED if their end has passed',
    args: [idsArgument],
    runs: ['L', 'R'],
    examples: ['appctl license resume lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV'],
    confirm: 'mild',
    exits: [3, 5, 7],
    output,
    load: () => import('./state.ts').then((actions) => actions.resumeLicenses),
  },
  {
    path: 'license revoke',
    summary: 'end licenses and all their activations for good',
    args: [idsArgument],
    options: [reason],
    runs: ['L', 'R'],
    examples: ['appctl license revoke lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --reason "refunded" --yes'],
    confirm: 'moderate',
    exits: [3, 5, 7, 10],
    output,
    load: () => import('./state.ts').then((actions) => actions.revokeLicenses),
  },
  {
    path: 'license renew',
    summary: 'change the end of licenses; an EXPIRED one becomes ACTIVE',
    description:
      '--days counts from the end of the license, or from now if that has passed. A change that makes a license end earlier asks first, also for one that never expires.',
    args: [idsArgument],
    options: [
      {
        name: 'until',
        value: 'TIME',
        summary: 'new end; 2028-01-31 is the end of that day, in local time',
        conflicts: ['days', 'from-now'],
      },
      { name: 'days', value: 'N', summary: 'days to add', type: 'integer', min: 1, max: 3660 },
      { name: 'from-now', summary: 'always count --days from now' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl license renew lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --days 365',
      'appctl license renew lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --until 2028-01-31',
    ],
    confirm: 'mild',
    exits: [3, 5, 7, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.LicenseRenewOutput),
    load: () => import('./renew.ts').then((actions) => actions.renewLicenses),
  },
];
