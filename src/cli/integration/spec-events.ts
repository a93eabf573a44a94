import { one } from '../answers.ts';
import type { CommandSpec, OptionSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';
import { integrationArgument } from './arguments.ts';
import { eventStatuses } from './choices.ts';

const inbox = () => import('#licensing/purchases/inbox/view.ts');

const EVENT = 'ibe_01J9ZK3T5W8Y2QF4M6N7P0R1SV';
const filter: readonly OptionSpec[] = [
  { name: 'status', value: 'STATUS', summary: 'only those with this status', choices: eventStatuses },
  { name: 'reason', value: 'REASON', summary: 'only those with this reason: UNMAPPED, EMAIL_MISSING …' },
  {
    name: 'since',
    value: '24h',
    summary: 'only those received since then: a time ago such as 7d, or a date',
  },
];

export const eventCommands: readonly CommandSpec[] = [
  {
    path: 'integration events',
    summary: 'list what a processor reported, newest first',
    description:
      'FAILED events have not issued a license: map their product or fix the cause, then replay them. Deliveries with a wrong signature are listed by integration events refused.',
    args: [integrationArgument],
    options: [...filter, ...pageOptions],
    runs: ['L', 'R'],
    examples: [
      'appctl integration events stripe',
      'appctl integration events stripe --status FAILED --since 7d --json | jq -r ".items[].id"',
    ],
    exits: [3],
    output: () => import('./schemas.ts').then((schemas) => schemas.EventPage),
    load: () => import('./events.ts').then((actions) => actions.listEvents),
  },
  {
    path: 'integration events show',
    summary: 'show one event with its body and the licenses that it created',
    args: [{ name: 'event', summary: 'id of the event' }],
    runs: ['L', 'R'],
    examples: [`appctl integration events show ${EVENT}`],
    exits: [3],
    output: one(inbox, 'InboundEventDetailsView'),
    load: () => import('./events.ts').then((actions) => actions.showEvent),
  },
  {
    path: 'integration events refused',
    summary:
      'list deliveries that were refused before they became events: wrong signatures, malformed bodies',
    description:
      'Counted by hour, reason and address. Many SIGNATURE_INVALID from the processor mean that it uses a different secret.',
    args: [integrationArgument],
    options: pageOptions,
    runs: ['L', 'R'],
    examples: ['appctl integration events refused stripe'],
    exits: [3],
    output: () => import('./schemas.ts').then((schemas) => schemas.RefusalPage),
    load: () => import('./events.ts').then((actions) => actions.listRefused),
  },
  {
    path: 'integration replay',
    summary: 'process events again',
    description:
      'Nothing is done twice: a purchase that has its licenses is skipped, and one that was mapped in part gets the rest. With --integration all FAILED events of an integration are processed, oldest first, or those matching --status and --reason.',
    args: [{ name: 'event', summary: 'id of an event', optional: true, variadic: true }],
    options: [
      {
        name: 'integration',
        aliases: ['inbound'],
        value: 'INTEGRATION',
        summary: 'all events of this integration that match',
        complete: integrationArgument.complete,
      },
      ...filter,
      {
        name: 'limit',
        value: 'N',
        summary: 'at most this many of the newest',
        type: 'integer',
        min: 1,
        max: 100_000,
        default: '1000',
      },
    ],
    runs: ['L', 'R'],
    examples: [
      `appctl integration replay ${EVENT}`,
      'appctl integration replay --integration stripe --reason UNMAPPED --yes',
    ],
    confirm: 'moderate',
    exits: [3, 7, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.ReplayOutput),
    load: () => import('./replay.ts').then((actions) => actions.replayEvents),
  },
];
