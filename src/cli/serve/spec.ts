import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'serve',
    summary: 'run the server',
    description:
      'Creates what is missing (data directory, master key, database, schema) and listens. The log goes to stderr or to log.file; with --json stdout has one JSON object per line: first {"event":"listening"}, then the log.',
    options: [
      {
        name: 'listen',
        mistaken: ['port', 'host', 'bind', 'address'],
        value: 'ADDR:PORT',
        summary: 'address to listen on: PORT, :PORT, ADDR:PORT, [v6]:PORT, unix:/path, fd:3',
        repeat: true,
        config: 'listen',
      },
      { name: 'base-url', value: 'URL', summary: 'public address, for links', config: 'base_url' },
      { name: 'dev', summary: 'development mode: serve the API reference at /api/docs', config: 'mode' },
      {
        name: 'tls-cert',
        value: 'FILE',
        summary: 'certificate in PEM',
        config: 'tls.cert',
        complete: 'file',
      },
      {
        name: 'tls-key',
        value: 'FILE',
        summary: 'its private key in PEM',
        config: 'tls.key',
        complete: 'file',
      },
      {
        name: 'trust-proxy',
        value: 'N|CIDR',
        summary: 'number of trusted proxies in front',
        config: 'proxy.trust',
      },
      {
        name: 'workers',
        value: 'N',
        summary: 'number of processes that serve',
        config: 'workers',
      },
      {
        name: 'no-license',
        summary: 'turn off the license API and its jobs',
        config: 'features.license',
      },
      {
        name: 'no-store',
        summary: 'turn off the API of the shop',
        config: 'features.store',
      },
      { name: 'no-jobs', summary: 'run no scheduled jobs in this process', config: 'jobs.enabled' },
      {
        name: 'auto-migrate',
        value: 'HOW',
        summary: 'what to do if the schema is older',
        choices: ['yes', 'no', 'backup'],
        config: 'auto_migrate',
      },
      {
        name: 'fresh',
        summary: 'start a new installation if the database of this data directory is missing or empty',
      },
      { name: 'pid-file', value: 'FILE', summary: 'write the process id to FILE', complete: 'file' },
      {
        name: 'ready-fd',
        value: 'N',
        summary: 'write a line to this file descriptor once it listens',
        type: 'integer',
        min: 3,
        max: 1023,
      },
    ],
    runs: ['L'],
    examples: [
      'appctl serve',
      'appctl serve --listen 0.0.0.0:8080 --base-url https://license.example.com --trust-proxy 1',
      'appctl serve --listen unix:/run/appctl/http.sock --listen 127.0.0.1:0 --json',
    ],
    stream: 'ndjson',
    survivesClosedPipe: true,
    exits: [5, 8],
    output: () => import('./schemas.ts').then((schemas) => schemas.ServeOutput),
    load: () => import('./serve.ts').then((actions) => actions.runServer),
  },
];
