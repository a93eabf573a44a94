import type { CommandSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';
import { webhookArgument } from './spec-options.ts';

const service = {
  name: 'service',
  value: 'SERVICE',
  summary: 'webhooks of this service; license by default',
  choices: ['license', 'store'],
} as const;

export const readCommands: readonly CommandSpec[] = [
  {
    path: 'webhook list',
    summary: 'list the webhooks',
    options: [
      service,
      {
        name: 'state',
        value: 'STATE',
        summary: 'only those in this state',
        choices: ['enabled', 'disabled'],
      },
      ...pageOptions,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl webhook list',
      'appctl webhook list --service store',
      'appctl webhook list --state disabled --json | jq -r ".items[].url"',
    ],
    output: () => import('./schemas.ts').then((schemas) => schemas.WebhookPage),
    load: () => import('./read.ts').then((actions) => actions.listWebhooks),
  },
  {
    path: 'webhook show',
    summary: 'show one webhook',
    args: [webhookArgument],
    runs: ['L', 'R'],
    examples: ['appctl webhook show whk_01J9ZK3T5W8Y2QF4M6N7P0R1SV'],
    exits: [3],
    output: () => import('./schemas.ts').then((schemas) => schemas.WebhookShape),
    load: () => import('./read.ts').then((actions) => actions.showWebhook),
  },
  {
    path: 'webhook events',
    summary: 'list the events, each with an example of what is sent',
    description: "'default' events are sent to a webhook that names none.",
    options: [{ ...service, summary: 'events of this service; license by default' }],
    runs: ['O'],
    examples: [
      'appctl webhook events',
      'appctl webhook events --service store',
      `appctl webhook events --json | jq '.items[] | select(.event == "LICENSE_CREATED").example'`,
    ],
    output: () => import('./schemas.ts').then((schemas) => schemas.EventPage),
    load: () => import('./events.ts').then((actions) => actions.listWebhookEvents),
  },
];
