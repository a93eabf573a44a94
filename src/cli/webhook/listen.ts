import type { IncomingMessage } from 'node:http';
import { isoTime, systemClock } from '#kernel/clock.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError, usageError } from '../frame/errors.ts';
import type { Paint } from '../frame/io.ts';
import { oneLine } from '../printed-text.ts';
import { type Answer, forward, json } from './forward.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { type Verdict, verify } from './verify.ts';

/** What one request was, as it is shown. */
interface Received extends Verdict {
  at: string;
  event: string | null;
  id: string | null;
  attempt: number | null;
  redelivery: boolean;
  answered: number;
  body: unknown;
}

/** `appctl webhook listen`: goes on until SIGINT or SIGTERM, which end it with 0. */
export async function listenForWebhooks(cli: Cli): Promise<void> {
  if (cli.out.mode === 'csv' || cli.out.mode === 'plain')
    throw usageError(`--${cli.out.mode} cannot be used with a stream`, 'appctl webhook listen --json');
  const secret = await secretAsked(cli);
  const respond = responder(cli);
  // Before it listens: a signal that comes at once must not find the default, which ends with 130 or 143.
  const stopped = untilStopped();
  const receiver = await open(cli, async (request, raw) => {
    const verdict = verify(request.headers, raw, secret);
    const answer = await respond(request, raw, verdict);
    const received = describe(request, raw, verdict, answer.status);
    cli.out.record(received, line(received));
    if (answer.problem !== undefined) cli.warn(answer.problem);
    return answer;
  });
  announce(cli, receiver.url);
  await stopped;
  await receiver.close();
}

async function secretAsked(cli: Cli): Promise<string | undefined> {
  const given = await cli.secret('secret', { label: 'signing secret', optional: true });
  if (given?.value === '') throw usageError(`the signing secret is empty; tried: ${given.tried}`);
  return given?.value;
}

type Respond = (request: IncomingMessage, raw: Buffer, verdict: Verdict) => Promise<Answer>;

/** @throws usage error (2) for a bad --forward-to */
function responder(cli: Cli): Respond {
  const fail = cli.integer('fail');
  if (fail !== undefined) return async () => json(fail, { error: 'set by --fail' });
  const text = cli.option('forward-to');
  if (text === undefined) {
    return async (_request, _raw, { valid, signature }) =>
      valid === false ? json(401, { error: `signature ${signature}` }) : json(200, { received: true });
  }
  const to = URL.canParse(text) ? new URL(text) : undefined;
  if (to?.protocol !== 'http:' && to?.protocol !== 'https:')
    throw usageError(`--forward-to '${text}' is not a URL`, 'write --forward-to http://127.0.0.1:3000/hooks');
  if (to.username !== '' || to.password !== '')
    throw usageError(
      '--forward-to must not contain a user name or a password',
      'they would appear in the list of processes',
    );
  return (request, raw) => forward(to, request.headers, raw);
}

async function open(cli: Cli, handle: Parameters<typeof openReceiver>[1]): Promise<Receiver> {
  const port = cli.integer('port') ?? 0;
  try {
    return await openReceiver(port, handle);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw conflictError(
      `port ${port} of 127.0.0.1 is in use`,
      'choose another one, or --port 0 for a free one',
    );
  }
}

function announce(cli: Cli, url: string): void {
  const form = ['file', 'stdin', 'env'].find((name) => cli.given(`secret-${name}`));
  cli.out.record({ event: 'listening', url }, (paint) => `${paint('dim', 'Listening')}  ${url}`);
  if (cli.json) return;
  const secretHint = form === 'file' ? `--secret-file ${cli.option('secret-file')}` : '--out hook.secret';
  if (form === undefined) cli.note('Without --secret-file signatures are not checked.');
  cli.note('Press Ctrl-C to stop. To let webhooks reach this machine, allow its own addresses:');
  cli.next(
    'appctl settings set webhooks.allowed_private_cidrs 127.0.0.0/8',
    `appctl webhook create --service license --url ${url} ${secretHint}`,
  );
}

function describe({ headers }: IncomingMessage, raw: Buffer, verdict: Verdict, answered: number): Received {
  const body = bodyOf(raw);
  const header = (name: string): string | null => {
    const value = headers[name];
    return typeof value === 'string' ? value : null;
  };
  const attempt = Number(header('x-webhook-attempt') ?? Number.NaN);
  return {
    at: isoTime(systemClock.epochMs()),
    event: header('x-webhook-event'),
    ...verdict,
    id: header('x-webhook-id'),
    attempt: Number.isInteger(attempt) ? attempt : null,
    redelivery: header('x-webhook-redelivery') === 'true',
    answered,
    body,
  };
}

/** As JSON, or as text when it is none or nested so deep that it cannot be written again. */
function bodyOf(raw: Buffer): unknown {
  const text = raw.toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    JSON.stringify(value);
    return value;
  } catch {
    return text;
  }
}

function line(received: Received): (paint: Paint) => string {
  const { at, event, valid, signature, attempt, redelivery, answered, body } = received;
  const color = valid === false ? 'red' : valid === true ? 'green' : 'yellow';
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (paint) =>
    [
      paint('dim', at),
      paint('bold', oneLine(event ?? 'no X-Webhook-Event')),
      attempt === null ? '' : `attempt ${attempt}${redelivery ? ' again' : ''}`,
      paint(color, `signature ${signature}`),
      `answered ${answered}`,
      paint('dim', oneLine(text)),
    ]
      .filter(Boolean)
      .join('  ');
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
