import { one, page } from '../answers.ts';
import type { ArgSpec, CommandSpec, GroupSpec } from '../frame/spec.ts';
import { storePageOptions } from '../paging.ts';

const views = () => import('#platform/mail/view.ts');
const emails: ArgSpec = { name: 'email', summary: 'ids of emails', variadic: true };
const changed = () => import('./schemas.ts').then((schemas) => schemas.EmailOrBatch);

export const groups: readonly GroupSpec[] = [
  { path: 'email', summary: 'test the mail server, and manage waiting emails' },
  { path: 'email queue', summary: 'waiting and failed emails' },
];

export const commands: readonly CommandSpec[] = [
  {
    path: 'email test',
    summary: 'send a test email now',
    description:
      'Bypasses the queue and uses the current settings. If it was not sent, exits with 9 and says why.',
    options: [{ name: 'to', value: 'EMAIL', summary: 'address to send it to', required: true }],
    runs: ['L', 'R'],
    examples: ['appctl email test --to ann@example.com'],
    confirm: 'mild',
    dryRun: false,
    exits: [4, 9],
    output: one(views, 'EmailTested'),
    load: () => import('./test.ts').then((actions) => actions.testEmail),
  },
  {
    path: 'email preview',
    summary: 'show an email as it would be sent, filled with sample data',
    description:
      'Prints its subject and plain text. Nothing is sent. Unknown placeholders are reported on stderr.',
    args: [{ name: 'template', summary: 'key of the email, such as order_confirmation' }],
    options: [
      { name: 'locale', value: 'LANGUAGE', summary: 'language, such as de; English by default' },
      { name: 'order', value: 'ORDER', summary: 'id of an order to take the data from' },
      { name: 'html', summary: 'only the HTML, for a file or a browser' },
      { name: 'text', summary: 'only the plain text, without the subject' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl email preview order_confirmation',
      'appctl email preview shipment_notification --locale de --html > mail.html',
    ],
    exits: [3, 4],
    output: one(views, 'EmailPreview'),
    load: () => import('./preview.ts').then((actions) => actions.previewEmail),
  },
  {
    path: 'email queue list',
    summary: 'list waiting emails, or those with another status',
    options: [
      {
        name: 'status',
        value: 'STATUS',
        summary: 'only this status; queued by default',
        choices: ['queued', 'sending', 'sent', 'failed', 'suppressed'],
      },
      { name: 'to', value: 'TEXT', summary: 'only those to an address containing this text' },
      ...storePageOptions,
    ],
    runs: ['L', 'R'],
    examples: ['appctl email queue list', 'appctl email queue list --status failed'],
    exits: [4],
    output: page(views, 'EmailView'),
    load: () => import('./queue.ts').then((actions) => actions.listEmails),
  },
  {
    path: 'email queue retry',
    summary: 'send emails again, or retry waiting ones now',
    args: [emails],
    runs: ['L', 'R'],
    examples: ['appctl email queue retry eml_01J9ZK3T5W8Y2QF4M6N7P0R1SV'],
    confirm: 'mild',
    exits: [3, 4, 5, 7],
    output: changed,
    load: () => import('./queue.ts').then((actions) => actions.retryEmails),
  },
  {
    path: 'email queue drop',
    summary: 'drop waiting emails, so that they are never sent',
    args: [emails],
    runs: ['L', 'R'],
    examples: ['appctl email queue drop eml_01J9ZK3T5W8Y2QF4M6N7P0R1SV --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 7, 10],
    output: changed,
    load: () => import('./queue.ts').then((actions) => actions.dropEmails),
  },
];
