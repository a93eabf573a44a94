import { secretOptions } from '../frame/secrets.ts';
import type { CommandSpec } from '../frame/spec.ts';

export const listenCommand: CommandSpec = {
  path: 'webhook listen',
  summary: 'receive webhooks on this machine and check their signatures',
  description:
    'A receiver for development: it shows each request and answers 200, or 401 if the signature is missing or wrong. It needs no database and runs until Ctrl-C. With --json each request is one line; the first line has the URL.',
  options: [
    {
      name: 'port',
      value: 'N',
      summary: 'port on 127.0.0.1 to listen on; 0 picks a free one',
      type: 'integer',
      min: 0,
      max: 65_535,
      default: '0',
    },
    ...secretOptions('secret', 'the signing secret of the webhook; without it signatures are not checked'),
    { name: 'forward-to', value: 'URL', summary: 'forward each request to this URL, and return its answer' },
    {
      name: 'fail',
      value: 'STATUS',
      summary: 'answer every request with this status',
      type: 'integer',
      min: 300,
      max: 599,
      conflicts: ['forward-to'],
    },
  ],
  runs: ['O'],
  examples: [
    'appctl webhook listen --port 9000 --secret-file hook.secret',
    'appctl webhook listen --fail 503 --json',
    'appctl webhook listen --port 9000 --secret-file hook.secret --forward-to http://127.0.0.1:3000/hooks',
  ],
  exits: [5],
  stream: 'ndjson',
  output: () => import('./schemas.ts').then((schemas) => schemas.ListenLine),
  load: () => import('./listen.ts').then((actions) => actions.listenForWebhooks),
};
