import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec, GroupSpec, OptionSpec } from '../frame/spec.ts';
import { madeSecretOptions } from '../made-secret-options.ts';
import { pageOptions } from '../paging.ts';
import { integrationArgument } from './arguments.ts';
import { processors } from './choices.ts';
import { eventCommands } from './spec-events.ts';
import { mappingCommands } from './spec-map.ts';
import { tryCommands } from './spec-try.ts';

const integrationGroup: GroupSpec = {
  path: 'integration',
  aliases: ['webhook inbound'],
  summary: 'turn purchases of payment processors into licenses',
};

const signingSecret = secretOptions('secret', 'the signing secret of the processor');
const generateSecret: OptionSpec = {
  name: 'generate-secret',
  summary: 'generate a signing secret, for a processor that accepts ours',
  conflicts: signingSecret.map(({ name }) => name),
};
const secrets: readonly OptionSpec[] = [
  ...signingSecret,
  generateSecret,
  ...madeSecretOptions('the generated secret'),
];
const notificationUrl: OptionSpec = {
  name: 'notification-url',
  value: 'URL',
  summary: 'square: the URL as entered there, if it differs from the public one',
};

export const groups: readonly GroupSpec[] = [integrationGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'integration create',
    summary: 'connect a payment processor, so that its purchases become licenses',
    description:
      'Stripe and Square show a signing secret where the webhook is set up: pass it by file, stdin or environment variable, or type it at the prompt. A generic processor signs with a secret generated here. Wallet processors are not supported: they sign with certificates.',
    options: [
      {
        name: 'processor',
        value: 'PROCESSOR',
        summary: 'who sends the events; card-a is stripe, payments-b is square',
        choices: Object.keys(processors),
        required: true,
      },
      { name: 'name', value: 'NAME', summary: 'name; the processor and a number by default' },
      ...secrets,
      notificationUrl,
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl integration create --processor stripe --secret-file whsec.txt',
      'appctl integration create --processor square --secret-env SQUARE_SIGNATURE_KEY --notification-url https://pay.example.com/hook',
      'appctl integration create --processor generic --name shop --generate-secret --reveal',
    ],
    confirm: 'mild',
    exits: [5],
    output: () => import('./schemas.ts').then((schemas) => schemas.IntegrationWithSecret),
    load: () => import('./create.ts').then((actions) => actions.createIntegration),
  },
  {
    path: 'integration list',
    summary: 'list the integrations',
    options: pageOptions,
    runs: ['L', 'R'],
    examples: ['appctl integration list', 'appctl integration list --json | jq -r ".items[].url"'],
    output: () => import('./schemas.ts').then((schemas) => schemas.IntegrationPage),
    load: () => import('./read.ts').then((actions) => actions.listIntegrations),
  },
  {
    path: 'integration show',
    summary: 'show an integration and its mappings',
    args: [integrationArgument],
    runs: ['L', 'R'],
    examples: ['appctl integration show stripe'],
    exits: [3],
    output: () => import('./schemas.ts').then((schemas) => schemas.IntegrationShape),
    load: () => import('./read.ts').then((actions) => actions.showIntegration),
  },
  {
    path: 'integration update',
    summary: 'change the name, secret or address of an integration, or turn it on or off',
    description:
      'The old secret stays valid for 24 hours, so that you can update the processor. The processor itself cannot change: create another integration instead.',
    args: [integrationArgument],
    options: [
      { name: 'name', value: 'NAME', summary: 'new name' },
      ...secrets,
      notificationUrl,
      {
        name: 'clear',
        value: 'FIELD',
        summary: 'use the public URL again',
        choices: ['notification-url'],
        repeat: true,
      },
      { name: 'enable', summary: 'accept its events', conflicts: ['disable'] },
      { name: 'disable', summary: 'refuse its events', conflicts: ['enable'] },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl integration update stripe --secret-file whsec.txt',
      'appctl integration update shop --generate-secret --reveal',
      'appctl integration update stripe --disable',
    ],
    confirm: 'mild',
    exits: [3, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.IntegrationWithSecret),
    load: () => import('./change.ts').then((actions) => actions.updateIntegration),
  },
  {
    path: 'integration delete',
    summary: 'delete an integration and its mappings',
    description: 'Its events are kept, because they name licenses that were paid for.',
    args: [integrationArgument],
    runs: ['L', 'R'],
    examples: ['appctl integration delete shop --yes'],
    confirm: 'moderate',
    exits: [3, 10],
    output: () => import('./schemas.ts').then((schemas) => schemas.IntegrationPlan),
    load: () => import('./change.ts').then((actions) => actions.deleteIntegration),
  },
  ...mappingCommands,
  ...eventCommands,
  ...tryCommands,
];
