import { counted } from '#kernel/counts.ts';
import { callServer } from '#kernel/http/admin-socket.ts';
import { lengthText } from '#kernel/time-words.ts';
import { socketPath } from '../../app/run-files.ts';
import type { ServerStatus } from '../../app/server-report.ts';
import type { Status } from '../../app/status-view.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import { flushServer } from '../fresh.ts';
import { withLocal } from '../open.ts';

/** `appctl status [--strict]`. */
export async function showStatus(cli: Cli): Promise<number> {
  const { config } = await cli.config();
  const server = await callServer<ServerStatus>(socketPath(config), 'status');
  if (server) await flushServer(cli);
  const { collectStatus } = await import('../../app/status.ts');
  const status = await withLocal(cli, (instance) => collectStatus(instance, server), 'inspect');
  await cli.out.value(status, () => describe(status));
  return cli.flag('strict') && status.warnings.length > 0 ? exits.pending : exits.done;
}

function describe(status: Status): string {
  const { migrations } = status;
  const megabytes = (status.db.sizeBytes / 1_048_576).toFixed(1);
  const lines: [string, string][] = [
    ['Version', status.version],
    [
      'Server',
      status.running
        ? `${status.url} (pid ${status.pid}, up ${lengthText(status.uptimeSec ?? 0)})`
        : 'not running',
    ],
    ['Database', `${status.db.version}, ${megabytes} MiB`],
    ['Schema', `${counted(migrations.applied, 'migration')} applied, ${migrations.pending} pending`],
    // Before the migrations nothing can be counted, and zeros would look like a loss.
    ...(migrations.pending > 0 ? [] : countLines(status)),
    ...status.warnings.map((warning): [string, string] => ['Warning', warning]),
  ];
  return lines.map(([label, text]) => `${label.padEnd(10)} ${text}`).join('\n');
}

const countLines = ({ queue, counts }: Status): [string, string][] => [
  [
    'Queues',
    `${counted(queue.webhooks, 'webhook')}, ${counted(queue.emails, 'email')}, ${queue.inboundSpool} inbound, ${queue.dead} failed`,
  ],
  [
    'Contents',
    `${counted(counts.licenses, 'license')}, ${counted(counts.activations, 'activation')}, ${counted(counts.products, 'product')}, ${counted(counts.customers, 'customer')}`,
  ],
];
