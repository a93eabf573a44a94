import { result } from '../answers.ts';
import type { CommandSpec } from '../frame/spec.ts';
import { madeSecretOptions } from '../made-secret-options.ts';
import { eventOption, headerOptions, ownSecret, productOption, webhookArgument } from './spec-options.ts';

const ID = 'whk_01J9ZK3T5W8Y2QF4M6N7P0R1SV';
const shown = madeSecretOptions('the new secret');

const create: CommandSpec = {
  path: 'webhook create',
  summary: 'send events to a URL',
  description:
    'Each request is signed with the secret of the webhook, which is shown once: on a terminal, with --json or --reveal, or in the --out file. Without --event all shop events are sent, or all license events except LICENSE_VALIDATED, VALIDATION_FAILED and USAGE_RECORDED. The URL must be https and public, unless webhooks.allow_http or webhooks.allowed_private_cidrs allows more (appctl settings list).',
  options: [
    {
      name: 'service',
      value: 'SERVICE',
      summary: 'service whose events are sent',
      choices: ['license', 'store'],
      required: true,
    },
    { name: 'url', value: 'URL', summary: 'URL to send them to', required: true },
    eventOption,
    { name: 'name', value: 'NAME', summary: "name; the URL's host by default" },
    productOption,
    { name: 'redact-email', summary: 'send null instead of email addresses' },
    { name: 'disabled', summary: 'send nothing until webhook enable' },
    ...headerOptions,
    ...ownSecret,
    ...shown,
  ],
  runs: ['L', 'R'],
  examples: [
    'appctl webhook create --service license --url https://example.com/hooks --reveal',
    'appctl webhook create --service store --url https://example.com/shop --event product.created --reveal',
    'appctl webhook create --service license --url https://example.com/hooks --event LICENSE_CREATED --event LICENSE_REVOKED --out hook.secret',
    "appctl webhook create --service license --url https://example.com/all --event '*' --product editor --json | jq -r .secret",
  ],
  confirm: 'mild',
  exits: [5],
  output: () => import('./schemas.ts').then((schemas) => schemas.WebhookWithSecret),
  load: () => import('./create.ts').then((actions) => actions.createWebhook),
};

const update: CommandSpec = {
  path: 'webhook update',
  summary: 'change a webhook',
  description: 'What you do not give stays. A list you give replaces the old one.',
  args: [webhookArgument],
  options: [
    { name: 'url', value: 'URL', summary: 'new URL, also for events that are waiting' },
    eventOption,
    { name: 'name', value: 'NAME', summary: 'new name' },
    productOption,
    {
      name: 'redact-email',
      value: 'YES|NO',
      summary: 'send null instead of email addresses',
      choices: ['yes', 'no'],
    },
    ...headerOptions,
    {
      name: 'clear',
      value: 'FIELD',
      summary: 'product: all products; headers: no extra headers; event: the default events',
      choices: ['product', 'headers', 'event'],
      repeat: true,
    },
  ],
  runs: ['L', 'R'],
  examples: [
    `appctl webhook update ${ID} --url https://example.com/v2/hooks`,
    `appctl webhook update ${ID} --event LICENSE_CREATED --clear product`,
  ],
  confirm: 'mild',
  exits: [3],
  output: () => import('./schemas.ts').then((schemas) => schemas.WebhookPlan),
  load: () => import('./update.ts').then((actions) => actions.updateWebhook),
};

const enable: CommandSpec = {
  path: 'webhook enable',
  summary: 'send events to a webhook again',
  description:
    'Its failure count is reset, and what happened while it was disabled is not sent. webhook replay sends what failed.',
  args: [webhookArgument],
  runs: ['L', 'R'],
  examples: [`appctl webhook enable ${ID}`],
  confirm: 'mild',
  exits: [3],
  output: () => import('./schemas.ts').then((schemas) => schemas.WebhookPlan),
  load: () => import('./switch.ts').then((actions) => actions.enableWebhook),
};

const disable: CommandSpec = {
  path: 'webhook disable',
  summary: 'stop sending events to a webhook',
  description: 'Waiting deliveries are skipped; webhook replay can send them later.',
  args: [webhookArgument],
  options: [{ name: 'reason', value: 'TEXT', summary: 'reason, shown in webhook list and the timeline' }],
  runs: ['L', 'R'],
  examples: [`appctl webhook disable ${ID} --reason "the receiver moves"`],
  confirm: 'mild',
  exits: [3],
  output: () => import('./schemas.ts').then((schemas) => schemas.WebhookPlan),
  load: () => import('./switch.ts').then((actions) => actions.disableWebhook),
};

const remove: CommandSpec = {
  path: 'webhook delete',
  summary: 'delete a webhook and the log of its deliveries',
  args: [webhookArgument],
  runs: ['L', 'R'],
  examples: [`appctl webhook delete ${ID} --yes`],
  confirm: 'moderate',
  exits: [3, 10],
  output: result('deleted'),
  load: () => import('./switch.ts').then((actions) => actions.deleteWebhook),
};

const rotate: CommandSpec = {
  path: 'webhook rotate-secret',
  summary: 'give a webhook a new signing secret',
  description:
    'For 24 hours requests carry a second signature, X-Webhook-Signature-Previous, made with the old secret, so that the receiver can switch.',
  args: [webhookArgument],
  options: [...ownSecret, ...shown],
  runs: ['L', 'R'],
  examples: [
    `appctl webhook rotate-secret ${ID} --out hook.secret`,
    `appctl webhook rotate-secret ${ID} --json | jq -r .secret`,
  ],
  confirm: 'mild',
  exits: [3, 5],
  output: () => import('./schemas.ts').then((schemas) => schemas.WebhookWithSecret),
  load: () => import('./rotate.ts').then((actions) => actions.rotateWebhookSecret),
};

export const changeCommands: readonly CommandSpec[] = [create, update, enable, disable, remove, rotate];
