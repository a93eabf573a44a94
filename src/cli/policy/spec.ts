import { change, one, page } from '../answers.ts';
import { abuseActions, cullStrategies, trialReuseRules } from '../choices.ts';
import type { ArgSpec, CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#licensing/catalog/policies/view.ts');

const policyGroup: GroupSpec = { path: 'policy', summary: 'manage rules that products and licenses share' };

export const policyArgument: ArgSpec = {
  name: 'policy',
  summary: 'name or id of the policy',
  complete: () => import('../completers.ts').then((completers) => completers.completePolicies),
};
const productOption: OptionSpec = {
  name: 'product',
  value: 'SLUG',
  summary: 'product whose licenses it applies to',
  complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
};
const number = (name: string, value: string, summary: string, min = 0): OptionSpec => ({
  name,
  value,
  summary,
  type: 'integer',
  min,
});

/** What create and update share; the service knows the upper bounds. */
export const policyRules: readonly OptionSpec[] = [
  number('heartbeat-interval', 'MIN', 'minutes between two heartbeats of a machine', 1),
  {
    name: 'cull-strategy',
    value: 'STRATEGY',
    summary: 'what happens when heartbeats stop',
    choices: cullStrategies,
  },
  number('default-lease', 'SEC', 'seconds that a floating seat is leased for', 60),
  {
    name: 'entitlement',
    value: 'NAME[=VALUE]',
    summary: 'feature of its licenses; VALUE is JSON or text',
    repeat: true,
  },
  number('grace', 'SEC', 'seconds that an expired license keeps working'),
  number('default-days', 'N', 'days that a time-limited license lasts by default', 1),
  number('max-uses', 'N', 'number of uses of a license'),
  { name: 'max-version', value: 'V', summary: 'newest version a license covers, such as 2 or 2.4' },
  number('max-deactivations', 'N', 'number of deactivations by clients in the window'),
  number('deactivation-window', 'DAYS', 'length of that window in days', 1),
  number('offline-max-ttl', 'SEC', 'how long an offline token can be valid'),
  {
    name: 'trial-reuse',
    value: 'RULE',
    summary: 'what happens on a second trial on one machine',
    choices: trialReuseRules,
  },
  { name: 'abuse-action', value: 'ACTION', summary: 'what a finding of abuse does', choices: abuseActions },
];

export const clearable = [
  'heartbeat-interval',
  'default-lease',
  'entitlement',
  'default-days',
  'max-uses',
  'max-version',
  'max-deactivations',
  'deactivation-window',
  'offline-max-ttl',
];

const linkOptions: readonly OptionSpec[] = [
  productOption,
  { name: 'license', value: 'ID', summary: 'license it applies to', repeat: true },
];

export const groups: readonly GroupSpec[] = [policyGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'policy create',
    summary: 'create a policy',
    description:
      'By default: no heartbeat, no grace, trial reuse FLAG, abuse action NONE. --product attaches it at once.',
    options: [
      { name: 'name', value: 'NAME', summary: 'name of the policy', required: true },
      ...policyRules,
      productOption,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl policy create --name office --heartbeat-interval 10 --cull-strategy DEACTIVATE_DEAD --default-lease 3600',
      'appctl policy create --name pro --entitlement export --entitlement seats=5 --grace 604800 --product editor --json | jq -r .id',
    ],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: change(views, 'PolicyView'),
    load: () => import('./change.ts').then((actions) => actions.createPolicy),
  },
  {
    path: 'policy list',
    summary: 'list the policies',
    options: [{ name: 'q', value: 'TEXT', summary: 'only those with TEXT in the name' }, ...pageOptions],
    runs: ['L', 'R'],
    examples: ['appctl policy list', 'appctl policy list --json | jq -r ".items[].name"'],
    exits: [4],
    output: page(views, 'PolicyView'),
    load: () => import('./read.ts').then((actions) => actions.listPolicies),
  },
  {
    path: 'policy show',
    summary: 'show one policy',
    args: [policyArgument],
    runs: ['L', 'R'],
    examples: ['appctl policy show office'],
    exits: [3, 4],
    output: one(views, 'PolicyView'),
    load: () => import('./read.ts').then((actions) => actions.showPolicy),
  },
  {
    path: 'policy update',
    summary: 'change a policy, at once for every license it applies to',
    args: [policyArgument],
    options: [
      { name: 'name', value: 'NAME', summary: 'new name' },
      ...policyRules,
      { name: 'clear', value: 'FIELD', summary: 'remove a rule', choices: clearable, repeat: true },
    ],
    runs: ['L', 'R'],
    examples: ['appctl policy update office --grace 86400', 'appctl policy update office --clear max-uses'],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: change(views, 'PolicyView'),
    load: () => import('./change.ts').then((actions) => actions.updatePolicy),
  },
  {
    path: 'policy delete',
    summary: 'delete a policy that nothing uses',
    args: [policyArgument],
    runs: ['L', 'R'],
    examples: ['appctl policy delete office'],
    confirm: 'mild',
    exits: [3, 4, 5],
    output: change(views, 'PolicyView'),
    load: () => import('./link.ts').then((actions) => actions.deletePolicy),
  },
  {
    path: 'policy attach',
    summary: 'attach a policy to a product or to single licenses',
    args: [policyArgument],
    options: linkOptions,
    runs: ['L', 'R'],
    examples: [
      'appctl policy attach office --product editor',
      'appctl policy attach office --license lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV',
    ],
    confirm: 'mild',
    exits: [3, 4],
    output: change(views, 'PolicyView'),
    load: () => import('./link.ts').then((actions) => actions.attachPolicy),
  },
  {
    path: 'policy detach',
    summary: 'detach a policy from a product or from single licenses',
    args: [policyArgument],
    options: linkOptions,
    runs: ['L', 'R'],
    examples: ['appctl policy detach office --product editor'],
    confirm: 'mild',
    exits: [3, 4],
    output: change(views, 'PolicyView'),
    load: () => import('./link.ts').then((actions) => actions.detachPolicy),
  },
];
