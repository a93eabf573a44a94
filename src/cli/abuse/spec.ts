import { change, one, page } from '../answers.ts';
import type { ArgSpec, CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';
import { abuseRules, confirmActions, flagStatuses } from './choices.ts';

const views = () => import('#licensing/insight/abuse/view.ts');

const abuseGroup: GroupSpec = { path: 'abuse', summary: 'review suspicious use of licenses' };
const abuseRulesGroup: GroupSpec = { path: 'abuse rules', summary: 'what counts as suspicious' };

const flagArgument: ArgSpec = { name: 'flag', summary: 'id of the flag' };
const reason: OptionSpec = {
  name: 'reason',
  value: 'TEXT',
  summary: 'reason, stored with the flag',
  required: true,
};

export const groups: readonly GroupSpec[] = [abuseGroup, abuseRulesGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'abuse list',
    summary: 'list flagged licenses, newest first',
    options: [
      { name: 'status', value: 'STATUS', summary: 'only flags with this status', choices: flagStatuses },
      { name: 'rule', value: 'RULE', summary: 'only flags raised by this rule', choices: abuseRules },
      { name: 'license', value: 'ID', summary: 'only flags on this license' },
      ...pageOptions,
    ],
    runs: ['L', 'R'],
    examples: ['appctl abuse list --status OPEN', 'appctl abuse list --rule IP_SPREAD --json'],
    output: page(views, 'FlagView'),
    load: () => import('./read.ts').then((actions) => actions.listFlags),
  },
  {
    path: 'abuse show',
    summary: 'show one flag with the counters that raised it',
    args: [flagArgument],
    runs: ['L', 'R'],
    examples: ['appctl abuse show flg_01J9ZK3T5W8Y2QF4M6N7P0R1SV'],
    exits: [3],
    output: one(views, 'FlagView'),
    load: () => import('./read.ts').then((actions) => actions.showFlag),
  },
  {
    path: 'abuse flag',
    summary: 'flag a license manually',
    args: [{ name: 'license', summary: 'id of the license' }],
    options: [reason],
    runs: ['L', 'R'],
    examples: ['appctl abuse flag lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --reason "key posted in a forum"'],
    confirm: 'mild',
    exits: [3, 5],
    output: change(views, 'FlagView'),
    load: () => import('./change.ts').then((actions) => actions.flagLicense),
  },
  {
    path: 'abuse clear',
    summary: 'close a flag as unfounded',
    description:
      'The evidence so far will not raise another flag. A license that the flag suspended stays suspended until you resume it.',
    args: [flagArgument],
    options: [reason],
    runs: ['L', 'R'],
    examples: ['appctl abuse clear flg_01J9ZK3T5W8Y2QF4M6N7P0R1SV --reason "a conference"'],
    confirm: 'mild',
    exits: [3, 5],
    output: change(views, 'FlagView'),
    load: () => import('./change.ts').then((actions) => actions.clearFlag),
  },
  {
    path: 'abuse confirm',
    summary: 'close a flag as founded, and act on the license',
    args: [flagArgument],
    options: [
      reason,
      {
        name: 'action',
        value: 'ACTION',
        summary: 'what to do with the license',
        choices: confirmActions,
        default: 'NONE',
      },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl abuse confirm flg_01J9ZK3T5W8Y2QF4M6N7P0R1SV --reason "shared key" --action REPLACE_KEY',
    ],
    confirm: 'mild',
    exits: [3, 5],
    output: change(views, 'FlagView'),
    load: () => import('./change.ts').then((actions) => actions.confirmFlag),
  },
  {
    path: 'abuse rules list',
    summary: 'list the rules with their thresholds',
    runs: ['L', 'R'],
    examples: ['appctl abuse rules list'],
    output: one(views, 'RulesView'),
    load: () => import('./rules.ts').then((actions) => actions.listRules),
  },
  {
    path: 'abuse rules set',
    summary: 'change the thresholds of a rule, or turn it on or off',
    args: [{ name: 'rule', summary: 'name of the rule', choices: abuseRules }],
    options: [
      { name: 'enable', summary: 'turn the rule on', conflicts: ['disable'] },
      { name: 'disable', summary: 'turn the rule off; existing flags stay' },
      { name: 'param', value: 'NAME=N', summary: 'threshold of the rule', repeat: true },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl abuse rules set IP_SPREAD --param networks=25',
      'appctl abuse rules set CLONED_MACHINE --disable',
    ],
    confirm: 'mild',
    output: change(views, 'RuleView'),
    load: () => import('./rules.ts').then((actions) => actions.setRule),
  },
];
