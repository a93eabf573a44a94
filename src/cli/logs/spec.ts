import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'logs',
    summary: 'show the log of the server',
    description:
      'Reads log.file where it is set, otherwise the journal of the systemd unit, otherwise the newest 2,000 lines that the running server keeps in memory. On a terminal lines are set for reading; elsewhere they are JSON as they were written, one object per line.',
    args: [
      {
        name: 'count',
        summary: 'how many lines: the same as --lines, so that -n 50 works as in other programs',
        optional: true,
      },
    ],
    options: [
      { name: 'follow', short: 'f', summary: 'keep printing new lines until Ctrl-C' },
      {
        name: 'lines',
        value: 'N',
        summary: 'the newest N lines that match (100; with --since all)',
        type: 'integer',
        min: 0,
        max: 1_000_000,
      },
      {
        name: 'level',
        value: 'LEVEL',
        summary: 'this level and more severe ones',
        choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
      },
      { name: 'since', value: '1h', summary: 'all lines since then: a time ago such as 2h, or a date' },
      { name: 'grep', value: 'RE', summary: 'only lines that match this regular expression' },
      {
        name: 'request-id',
        value: 'ID',
        aliases: ['request'],
        summary: 'only lines of this request, as X-Request-Id of its answer names it',
      },
      {
        name: 'source',
        value: 'SOURCE',
        summary: 'only lines about this',
        choices: ['http', 'job', 'webhook', 'mail', 'audit', 'server'],
      },
    ],
    runs: ['L', 'S'],
    examples: [
      'appctl logs --follow',
      'appctl logs --level warn --since 2h',
      'appctl logs --request-id 01M82C80J52XQR2FVFZFD7KN01',
      "appctl logs --source http --since 1h --json | jq -r 'select(.status >= 500) | .route'",
    ],
    stream: 'ndjson',
    exits: [3],
    output: () => import('./schemas.ts').then((schemas) => schemas.LogRecord),
    load: () => import('./logs.ts').then((actions) => actions.showLogs),
  },
];
