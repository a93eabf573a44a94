import type { DeliveryState } from '#platform/webhooks/index.ts';
import type { CommandSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';
import { eventFilter, webhookArgument } from './spec-options.ts';

const WEBHOOK = 'whk_01J9ZK3T5W8Y2QF4M6N7P0R1SV';
const DELIVERY = 'dlv_01J9ZK3T5W8Y2QF4M6N7P0R1SV';
/** Those that may be sent again. */
const endedStates = ['DELIVERED', 'FAILED', 'SKIPPED'] as const satisfies readonly DeliveryState[];
const states = ['PENDING', ...endedStates] as const satisfies readonly DeliveryState[];

const since = {
  name: 'since',
  value: '24h',
  summary: 'only deliveries of events since then: a time ago such as 24h, or a date',
} as const;
const until = { name: 'until', value: 'TIME', summary: 'only deliveries of events before then' } as const;

const test: CommandSpec = {
  path: 'webhook test',
  summary: 'send a test to a webhook and show the answer',
  description:
    'Makes one signed attempt at once, also to a disabled webhook. Its body says "test": true. Exits with 9 if the receiver does not answer 2xx.',
  args: [webhookArgument],
  options: [
    {
      name: 'event',
      value: 'EVENT',
      summary: 'send an example of this event instead of WEBHOOK_TEST',
      complete: () => import('./completers.ts').then((completers) => completers.completeEvents),
    },
    {
      name: 'override',
      value: 'PATH=VALUE',
      summary: 'set a value in the example, such as data.status=EXPIRED; JSON or text',
      repeat: true,
    },
    { name: 'note', value: 'TEXT', summary: 'note in the details of WEBHOOK_TEST' },
    {
      name: 'print',
      summary: 'print the request instead of sending it, as --dry-run does; your own headers are masked',
    },
  ],
  runs: ['L', 'R'],
  examples: [
    `appctl webhook test ${WEBHOOK}`,
    `appctl webhook test ${WEBHOOK} --event LICENSE_REVOKED --override data.licenseKeyPrefix=APP-7F3K`,
    `appctl webhook test ${WEBHOOK} --print --json | jq .headers`,
  ],
  confirm: 'mild',
  exits: [3],
  output: () => import('./schemas.ts').then((schemas) => schemas.TestOutput),
  load: () => import('./test.ts').then((actions) => actions.testWebhook),
};

const list: CommandSpec = {
  path: 'webhook deliveries',
  summary: 'list what was sent to a webhook, newest first',
  args: [webhookArgument],
  options: [
    { name: 'state', value: 'STATE', summary: 'only those in this state', choices: states, repeat: true },
    eventFilter,
    since,
    until,
    ...pageOptions,
  ],
  runs: ['L', 'R'],
  examples: [
    `appctl webhook deliveries ${WEBHOOK}`,
    `appctl webhook deliveries ${WEBHOOK} --state FAILED --since 24h --json | jq -r ".items[].id"`,
  ],
  exits: [3],
  output: () => import('./schemas.ts').then((schemas) => schemas.DeliveryPage),
  load: () => import('./deliveries.ts').then((actions) => actions.listDeliveries),
};

const show: CommandSpec = {
  path: 'webhook deliveries show',
  summary: 'show one delivery with its attempts and the exact body',
  args: [{ name: 'delivery', summary: 'id of the delivery' }],
  runs: ['L', 'R'],
  examples: [`appctl webhook deliveries show ${DELIVERY}`],
  exits: [3],
  output: () => import('./schemas.ts').then((schemas) => schemas.DeliveryShape),
  load: () => import('./deliveries.ts').then((actions) => actions.showDelivery),
};

const replay: CommandSpec = {
  path: 'webhook replay',
  summary: 'send deliveries again',
  description:
    'Sends the same bytes with the same X-Webhook-Id, signed with the current secret, starting again at attempt 1. Failures do not count toward disabling, and a disabled webhook gets it too. A running server sends it. With --webhook all finished deliveries in the range are sent, oldest first; those in progress are skipped.',
  args: [{ name: 'delivery', summary: 'id of a delivery', optional: true, variadic: true }],
  options: [
    {
      name: 'webhook',
      value: 'ID',
      summary: 'all deliveries of this webhook in the range',
      complete: () => import('./completers.ts').then((completers) => completers.completeWebhooks),
    },
    { name: 'failed', summary: 'only those that failed', conflicts: ['state'] },
    {
      name: 'state',
      value: 'STATE',
      summary: 'only those with this outcome',
      choices: endedStates,
      repeat: true,
    },
    eventFilter,
    since,
    until,
    {
      name: 'limit',
      value: 'N',
      summary: 'at most this many, oldest first',
      type: 'integer',
      min: 1,
      max: 100_000,
    },
  ],
  runs: ['L', 'R'],
  examples: [
    `appctl webhook replay ${DELIVERY}`,
    `appctl webhook replay --webhook ${WEBHOOK} --failed --since 24h --yes`,
  ],
  confirm: 'moderate',
  exits: [3, 5, 7, 10],
  output: () => import('./schemas.ts').then((schemas) => schemas.ReplayOutput),
  load: () => import('./replay.ts').then((actions) => actions.replayDeliveries),
};

export const deliveryCommands: readonly CommandSpec[] = [test, list, show, replay];
