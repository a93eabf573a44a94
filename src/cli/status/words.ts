import { systemClock } from '#kernel/clock.ts';
import { counted } from '#kernel/counts.ts';
import { localMinute } from '#kernel/local-time.ts';
import { lengthText, relativeTime } from '#kernel/time-words.ts';
import type { Status } from '../../app/status-view.ts';
import type { Paint } from '../frame/io.ts';
import { foldedCommand, wrappedTo } from '../frame/wrap.ts';

interface Shown {
  readonly dataDir: string;
  readonly paint: Paint;
  /** Of the terminal; undefined where there is none. */
  readonly width: number | undefined;
}

/** What a person reads in five seconds: the verdict first, then the figures, and last what to do. */
export function describe(status: Status, shown: Shown): string {
  const rows = figuresOf(status).map(([label, text]) => `${label.padEnd(10)} ${text}`);
  // That no server runs is the verdict already.
  const wrong = status.warnings.filter((warning) => warning !== NOT_RUNNING);
  return [verdictOf(status, wrong.length, shown), ...rows, ...troublesOf(wrong, shown)].join('\n');
}

const NOT_RUNNING = 'no server is running on this data directory';

function verdictOf(status: Status, wrong: number, { paint, dataDir }: Shown): string {
  if (!status.running)
    return `${paint('red', 'STOPPED')}    no server is running on ${dataDir}\n           appctl serve starts one`;
  const since = `running for ${lengthText(status.uptimeSec ?? 0)} at ${status.url}`;
  return wrong === 0
    ? `${paint('green', 'OK')}         ${since}`
    : `${paint('yellow', 'WARNING')}    ${since}`;
}

function figuresOf(status: Status): [string, string][] {
  const { migrations } = status;
  const processes = (status.workers?.wanted ?? 1) > 1 ? `, ${status.workers?.serving} processes` : '';
  const pid = status.running ? `, pid ${status.pid}${processes}` : '';
  const pending = migrations.pending === 0 ? '' : `, ${counted(migrations.pending, 'migration')} pending`;
  const megabytes = (status.db.sizeBytes / 1_048_576).toFixed(1);
  return [
    ['Version', `appctl ${status.version}${pid}`],
    ['Database', `${status.db.version}, ${megabytes} MiB${pending}`],
    ['Backup', backupOf(status)],
    ...certificateRow(status),
    // Before the migrations nothing can be counted, and zeros would look like a loss.
    ...(migrations.pending > 0 ? [] : countsOf(status)),
  ];
}

/** What an authority has yet to issue is among the warnings. */
function certificateRow({ certificate }: Status): [string, string][] {
  if (certificate === null || certificate.isPlaceholder) return [];
  return [['TLS', `certificate of ${certificate.name} until ${localMinute(new Date(certificate.endsAt))}`]];
}

function backupOf({ lastBackupAt }: Status): string {
  if (lastBackupAt === null) return 'none yet: appctl backup create';
  const at = new Date(lastBackupAt);
  return `${relativeTime(at.getTime() - systemClock.epochMs())} (${localMinute(at)})`;
}

const countsOf = ({ queue, counts }: Status): [string, string][] => [
  ['Queues', queuesOf(queue)],
  [
    'Contents',
    `${counted(counts.licenses, 'license')}, ${counted(counts.activations, 'activation')}, ${counted(counts.products, 'product')}, ${counted(counts.customers, 'customer')}`,
  ],
];

function queuesOf({ webhooks, emails, inboundSpool, dead }: Status['queue']): string {
  const waiting = [
    ...(webhooks > 0 ? [counted(webhooks, 'webhook')] : []),
    ...(emails > 0 ? [counted(emails, 'email')] : []),
    ...(inboundSpool > 0 ? [counted(inboundSpool, 'purchase')] : []),
  ];
  const parts = [waiting.length === 0 ? 'nothing waits' : `${waiting.join(', ')} waiting`];
  return [...parts, ...(dead > 0 ? [`${counted(dead, 'delivery', 'deliveries')} failed`] : [])].join('; ');
}

/** Each with the command that shows the cause on a line of its own, to be pasted. */
function troublesOf(warnings: readonly string[], { paint, width }: Shown): string[] {
  if (warnings.length === 0) return [];
  const lines = warnings.flatMap((warning) => {
    const [, text = warning, command] = /^(.*?)(?:[:;] (appctl [^;]*))?$/s.exec(warning) ?? [];
    const told = `- ${wrappedTo(width, text, 2)}`;
    return command === undefined ? [told] : [told, foldedCommand(command, width, '  ')];
  });
  const title =
    warnings.length === 1 ? '1 thing needs attention:' : `${warnings.length} things need attention:`;
  return ['', paint('yellow', title), ...lines];
}
