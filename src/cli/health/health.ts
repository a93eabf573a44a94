import { sleep, systemClock } from '#kernel/clock.ts';
import { processEnvironment } from '#kernel/environment.ts';
import { hasEnded } from '#kernel/process-identity.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { askServer, ownServer, type ServerAddress } from '../own-server.ts';

const TRY_AGAIN_MS = 200;
const DEFAULT_TIMEOUT_SECONDS = 5;

/** `appctl health`: ends with 9 unless the server answers that it is well. */
export async function checkHealth(cli: Cli): Promise<void> {
  const deadline = systemClock.monotonicMs() + (cli.integer('wait') ?? 0) * 1000;
  const timeoutMs = (cli.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  for (;;) {
    const started = systemClock.monotonicMs();
    // Looked up each time: a server that is starting names its port only once it listens.
    const target = await findTarget(cli);
    const answer = await ask(target, timeoutMs).catch((error: Error) => error);
    if (!(answer instanceof Error)) {
      const ms = Math.round(systemClock.monotonicMs() - started);
      return cli.out.value(
        { ...answer, ms },
        (paint) => `${paint('green', 'ok')} ${target.url.href} in ${ms} ms`,
      );
    }
    if (systemClock.monotonicMs() + TRY_AGAIN_MS > deadline || unitHasEnded())
      throw unhealthy(target, answer);
    await sleep(TRY_AGAIN_MS);
  }
}

/** systemd names the process of the unit whose start waits for this command. */
function unitHasEnded(): boolean {
  const pid = Number(processEnvironment().MAINPID);
  return pid > 0 && hasEnded(pid);
}

function unhealthy({ url, socketPath }: ServerAddress, cause: Error): CliError {
  const where = socketPath ?? url.href;
  return new CliError(exits.unreachable, 'UNHEALTHY', `${where}: ${cause.message}`, {
    hint: 'appctl status; appctl serve starts a server',
  });
}

async function findTarget(cli: Cli): Promise<ServerAddress> {
  const given = cli.option('url');
  if (given !== undefined) {
    if (!/^https?:\/\//.test(given) || !URL.canParse(given))
      throw usageError(`--url '${given}' is not an http URL`);
    return { url: healthUrl(given), own: false };
  }
  const { config } = await cli.config();
  const server = ownServer(config);
  return { ...server, url: healthUrl(server.url.href) };
}

function healthUrl(text: string): URL {
  const url = new URL(text);
  if (url.pathname === '/') url.pathname = '/api/health';
  return url;
}

/** @returns the body of a server that is well; rejects with what is wrong otherwise */
async function ask(address: ServerAddress, timeoutMs: number): Promise<Record<string, unknown>> {
  const { status, text } = await askServer(address, { timeoutMs });
  return judge(status, text);
}

function judge(status: number, text: string): Record<string, unknown> {
  const body = parseObject(text);
  if (status === 200 && body?.success === true && body.status === 'ok') return body;
  const error = body?.error as { message?: unknown } | undefined;
  const reason = typeof error?.message === 'string' ? `: ${error.message}` : '';
  throw new Error(`answered ${status}${reason}${body === null ? ', but not like an appctl server' : ''}`);
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
