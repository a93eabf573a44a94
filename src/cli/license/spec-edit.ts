import { change } from '../answers.ts';
import { licenseTiers, licenseTypes } from '../choices.ts';
import type { ArgSpec, CommandSpec, OptionSpec } from '../frame/spec.ts';
import { madeSecretOptions } from '../made-secret-options.ts';

const views = () => import('#licensing/licenses/licenses/view.ts');
const idArgument: ArgSpec = { name: 'id', summary: 'id of the license' };
const completePolicies = () => import('../completers.ts').then((completers) => completers.completePolicies);

const clearable = [
  'valid-until',
  'features',
  'policy',
  'max-version',
  'max-uses',
  'grace',
  'order-id',
  'meta',
  'notes',
];

const fieldOptions: readonly OptionSpec[] = [
  {
    name: 'type',
    value: 'TYPE',
    summary: 'type; changes to or from FLOATING only while no machine is active',
    choices: licenseTypes,
  },
  { name: 'tier', value: 'TIER', summary: 'tier', choices: licenseTiers },
  {
    name: 'max-activations',
    value: 'N',
    summary: 'number of machines or seats',
    type: 'integer',
    min: 1,
    max: 1000,
  },
  {
    name: 'valid-until',
    value: 'TIME',
    summary: 'new end, in the future; 2028-01-31 is the end of that day, in local time',
  },
  { name: 'features', value: 'JSON|@FILE', summary: 'features as a JSON object; replaces all of them' },
  { name: 'policy', value: 'POLICY', summary: 'name or id of its own policy', complete: completePolicies },
  { name: 'max-version', value: 'V', summary: 'newest version it covers, such as 2 or 2.4' },
  { name: 'max-uses', value: 'N', summary: 'number of uses', type: 'integer', min: 0 },
  {
    name: 'grace',
    value: 'SEC',
    summary: 'grace period in seconds',
    type: 'integer',
    min: 0,
    max: 31_536_000,
  },
  { name: 'order-id', value: 'ID', summary: 'your own order number' },
  { name: 'meta', value: 'NAME=VALUE', summary: 'metadata; replaces all of it', repeat: true },
  { name: 'notes', value: 'TEXT', summary: 'notes for staff' },
  { name: 'clear', value: 'FIELD', summary: 'clear a field', choices: clearable, repeat: true },
];

export const editCommands: readonly CommandSpec[] = [
  {
    path: 'license update',
    summary: 'edit a license',
    description:
      'Fields you do not give stay as they are. The answer is the license as it is now, with the old values of changed fields in `before`. A later end makes an EXPIRED license ACTIVE, as renew does; an earlier one asks first.',
    args: [idArgument],
    options: fieldOptions,
    runs: ['L', 'R'],
    examples: [
      'appctl license update lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --max-activations 5',
      'appctl license update lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --clear valid-until --notes "bought for life"',
    ],
    confirm: 'mild',
    exits: [3, 5, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.LicenseUpdateOutput),
    load: () => import('./edit.ts').then((actions) => actions.updateLicense),
  },
  {
    path: 'license transfer',
    summary: 'transfer a license to another customer',
    description:
      'Its machines are deactivated, unless you add --keep-activations. An unknown address creates a customer.',
    args: [idArgument],
    options: [
      {
        name: 'to-email',
        value: 'ADDRESS',
        summary: 'email address of the customer who gets it',
        conflicts: ['to-customer'],
      },
      { name: 'to-customer', value: 'ID', summary: 'id of the customer who gets it' },
      { name: 'keep-activations', summary: 'keep its machines active' },
    ],
    runs: ['L', 'R'],
    examples: ['appctl license transfer lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --to-email bob@example.com'],
    confirm: 'mild',
    exits: [3, 5],
    output: change(views, 'LicenseView'),
    load: () => import('./edit.ts').then((actions) => actions.transferLicense),
  },
  {
    path: 'license change-policy',
    summary: 'move a license to another policy',
    description: 'A reset that makes the license end earlier asks first.',
    args: [idArgument, { name: 'policy', summary: 'name or id of the policy', complete: completePolicies }],
    options: [
      {
        name: 'expiry',
        value: 'RULE',
        summary: "keep its end, or reset it to now and the policy's default days",
        choices: ['keep', 'reset'],
        default: 'keep',
      },
    ],
    runs: ['L', 'R'],
    examples: ['appctl license change-policy lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV office --expiry reset'],
    confirm: 'mild',
    exits: [3, 5, 10],
    output: change(views, 'LicenseView'),
    load: () => import('./edit.ts').then((actions) => actions.changeLicensePolicy),
  },
  {
    path: 'license rekey',
    summary: 'replace the key of a license, for example one that leaked',
    description:
      'Everything else about the license stays. The new key is shown once: on a terminal, with --json or --reveal, or in the --out file; `license reveal` shows it again. Old keys end with the overlap at the latest.',
    args: [idArgument],
    options: [
      { name: 'reason', value: 'TEXT', summary: 'reason, stored in the timeline', required: true },
      {
        name: 'overlap',
        value: 'SEC',
        summary: 'seconds that the old key keeps working; up to a week',
        type: 'integer',
        min: 0,
        max: 604_800,
      },
      { name: 'deactivate-all', summary: 'free all machines' },
      { name: 'honeypot', summary: 'raise an alert each time the old key is used' },
      ...madeSecretOptions('the new key'),
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl license rekey lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --reason leaked --honeypot --reveal --yes',
      'appctl license rekey lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --reason "key was mailed wrongly" --overlap 86400 --yes --json | jq -r .key',
    ],
    confirm: 'moderate',
    exits: [3, 5, 10],
    output: change(views, 'LicenseView'),
    load: () => import('./rekey.ts').then((actions) => actions.rekeyLicense),
  },
  {
    path: 'license machines clear',
    summary: 'free all machines of a license at once',
    description: 'Runs in one transaction. This does not count as a deactivation by the client.',
    args: [idArgument],
    runs: ['L', 'R'],
    examples: ['appctl license machines clear lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --yes'],
    confirm: 'moderate',
    exits: [3, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.ActivationBatch),
    load: () => import('./clear.ts').then((actions) => actions.clearMachines),
  },
];
