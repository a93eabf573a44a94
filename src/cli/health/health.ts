import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { sleep, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { originOf } from '#kernel/config/listen.ts';
import { readServerFile } from '../../app/run-files.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';

const TRY_AGAIN_MS = 200;
const DEFAULT_TIMEOUT_SECONDS = 5;
const MAX_BODY_BYTES = 65_536;

/** Where a server is asked. `own`: an address of this machine, whose certificate names another host. */
interface Target {
  url: URL;
  socketPath?: string;
  own: boolean;
}

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
    if (systemClock.monotonicMs() + TRY_AGAIN_MS > deadline) throw unhealthy(target, answer);
    await sleep(TRY_AGAIN_MS);
  }
}

function unhealthy({ url, socketPath }: Target, cause: Error): CliError {
  const where = socketPath ?? url.href;
  return new CliError(exits.unreachable, 'UNHEALTHY', `${where}: ${cause.message}`, {
    hint: 'appctl status; appctl serve starts a server',
  });
}

async function findTarget(cli: Cli): Promise<Target> {
  const given = cli.option('url');
  if (given !== undefined) {
    if (!/^https?:\/\//.test(given) || !URL.canParse(given))
      throw usageError(`--url '${given}' is no http URL`);
    return { url: healthUrl(given), own: false };
  }
  const { config } = await cli.config();
  return localTarget(config);
}

/** The server that left its address behind, else the first address of the configuration. */
function localTarget(config: Config): Target {
  const scheme = config.tls ? 'https' : 'http';
  const [address] = config.listen;
  const url =
    readServerFile(config)?.url ??
    (address?.kind === 'unix' ? `unix:${address.path}` : originOf(address, scheme));
  if (!url.startsWith('unix:')) return { url: healthUrl(url), own: true };
  return { url: healthUrl(`${scheme}://localhost`), socketPath: url.slice('unix:'.length), own: true };
}

function healthUrl(text: string): URL {
  const url = new URL(text);
  if (url.pathname === '/') url.pathname = '/api/health';
  return url;
}

/** @returns the body of a server that is well; rejects with what is wrong otherwise */
function ask({ url, socketPath, own }: Target, timeoutMs: number): Promise<Record<string, unknown>> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const options = { timeout: timeoutMs, headers: { Connection: 'close' }, rejectUnauthorized: !own };
  return new Promise((resolve, reject) => {
    const call = request(url, { ...options, ...(socketPath !== undefined && { socketPath }) }, (res) => {
      const chunks: Buffer[] = [];
      let size = 0;
      res.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_BODY_BYTES) call.destroy(new Error('the answer is too long for a health check'));
        else chunks.push(chunk);
      });
      res.once('error', reject);
      res.once('end', () => {
        try {
          resolve(judge(res.statusCode ?? 0, Buffer.concat(chunks).toString('utf8')));
        } catch (error) {
          reject(error);
        }
      });
    });
    call.once('timeout', () => call.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    call.once('error', (error) => reject(error.message === '' ? new Error(errorCode(error)) : error));
    call.end();
  });
}

const errorCode = (error: NodeJS.ErrnoException): string => error.code ?? 'cannot be reached';

function judge(status: number, text: string): Record<string, unknown> {
  const body = parseObject(text);
  if (status === 200 && body?.success === true && body.status === 'ok') return body;
  const error = body?.error as { message?: unknown } | undefined;
  const reason = typeof error?.message === 'string' ? `: ${error.message}` : '';
  throw new Error(`answered ${status}${reason}${body === null ? ', and not as this program does' : ''}`);
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
