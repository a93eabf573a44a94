import type { Action } from '#licensing/licenses/decision/index.ts';
import { one } from '../answers.ts';
import { releaseChannels } from '../choices.ts';
import type { CommandSpec } from '../frame/spec.ts';
import { clearable, policyArgument, policyRules } from '../policy/spec.ts';

const views = () => import('#licensing/insight/simulator/view.ts');

/** Help must not wait for the service to be loaded; a test holds this list equal to the service's. */
export const simulatedActions = [
  'validate',
  'activate',
  'deactivate',
  'checkout',
  'checkin',
  'heartbeat',
  'record-usage',
  'validate-entitlement',
  'offline-token',
  'update',
  'renew',
] as const satisfies readonly Action[];

export const commands: readonly CommandSpec[] = [
  {
    path: 'simulate',
    summary: 'show what the API would answer to a request, and why; changes nothing',
    description:
      'Works for any machine and any time, with the license and its policy as they are, or as --set changes them for this one question.',
    args: [{ name: 'id', summary: 'id of the license' }],
    options: [
      {
        name: 'action',
        value: 'ACTION',
        summary: 'action that is requested',
        choices: simulatedActions,
        required: true,
      },
      { name: 'machine', value: 'ID', summary: 'id of the machine that asks; an unknown one by default' },
      { name: 'at', value: 'TIME', summary: 'time of the request; now by default' },
      { name: 'app-version', value: 'V', summary: 'version of the application that asks' },
      { name: 'quantity', value: 'N', summary: 'number of uses, for record-usage', type: 'integer', min: 1 },
      { name: 'lease', value: 'SEC', summary: 'length of the lease, for checkout', type: 'integer', min: 60 },
      { name: 'entitlement', value: 'NAME', summary: 'for validate-entitlement' },
      { name: 'valid-until', value: 'TIME', summary: 'new end, for renew' },
      {
        name: 'current-version',
        value: 'V',
        summary: 'installed version, for update; shows what is offered',
      },
      { name: 'channel', value: 'C', summary: 'for update; stable by default', choices: releaseChannels },
      { name: 'platform', value: 'P', summary: 'for update; other names such as win32 also work' },
      { name: 'arch', value: 'A', summary: 'for update; other names such as amd64 also work' },
      {
        name: 'set',
        value: 'NAME=VALUE',
        summary:
          'pretend that license.NAME or policy.NAME has this value; VALUE is JSON or text, null clears',
        repeat: true,
      },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl simulate lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --action activate --machine machine-0001 --at 2027-01-01T00:00:00Z',
      'appctl simulate lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --action validate --machine machine-0001 --set policy.gracePeriodSeconds=604800',
      'appctl simulate lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --action checkout --set license.maxActivations=20 --json | jq .answer',
      'appctl simulate lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV --action update --current-version 1.4.0 --channel beta --platform linux --arch x64',
    ],
    exits: [3],
    output: one(views, 'SimulatedView'),
    load: () => import('./simulate.ts').then((actions) => actions.simulateRequest),
  },
  {
    path: 'policy impact',
    summary: 'show whose answers a policy update would change; changes nothing',
    description:
      'Compares validate before and after the update for every machine of every license under the policy, and for licenses without machines. Takes the flags of policy update.',
    args: [policyArgument],
    options: [
      ...policyRules,
      {
        name: 'clear',
        value: 'FIELD',
        summary: 'pretend that this rule is removed',
        choices: clearable,
        repeat: true,
      },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl policy impact office --grace 0',
      'appctl policy impact office --max-version 2 --json | jq .transitions',
    ],
    exits: [3, 4],
    output: one(() => import('#licensing/insight/policies/view.ts'), 'PolicyImpactView'),
    load: () => import('./policy-impact.ts').then((actions) => actions.showImpact),
  },
];
