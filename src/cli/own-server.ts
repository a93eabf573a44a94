import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Config } from '#kernel/config/config.ts';
import { originOf } from '#kernel/config/listen.ts';
import { readServerFile } from '../app/run-files.ts';

/** Where a server is asked. `own`: an address of this machine, whose certificate names another host. */
export interface ServerAddress {
  /** Origin; its path is that of the request. */
  url: URL;
  socketPath?: string;
  own: boolean;
}

/** One request. */
export interface ServerRequest {
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array;
  timeoutMs: number;
}

const MAX_BODY_BYTES = 65_536;

/** The server that left its address behind in the data directory, else the first address of the configuration. */
export function ownServer(config: Config): ServerAddress {
  const scheme = config.tls ? 'https' : 'http';
  const [address] = config.listen;
  const url =
    readServerFile(config)?.url ??
    (address?.kind === 'unix' ? `unix:${address.path}` : originOf(address, scheme));
  if (!url.startsWith('unix:')) return { url: new URL(url), own: true };
  return { url: new URL(`${scheme}://localhost`), socketPath: url.slice('unix:'.length), own: true };
}

/** The same server at another path. */
export const atPath = ({ url, ...rest }: ServerAddress, path: string): ServerAddress => ({
  ...rest,
  url: new URL(path, url),
});

/**
 * Sends one request; rejects when there is no whole answer.
 *
 * @returns status and body of the answer
 */
export function askServer(
  { url, socketPath, own }: ServerAddress,
  { method = 'GET', headers = {}, body, timeoutMs }: ServerRequest,
): Promise<{ status: number; text: string }> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const options = {
    method,
    timeout: timeoutMs,
    headers: { ...headers, Connection: 'close' },
    rejectUnauthorized: !own,
    ...(socketPath !== undefined && { socketPath }),
  };
  return new Promise((resolve, reject) => {
    const call = request(url, options, (res) => {
      const chunks: Buffer[] = [];
      let size = 0;
      res.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_BODY_BYTES) call.destroy(new Error('the answer is too long'));
        else chunks.push(chunk);
      });
      res.once('error', reject);
      res.once('end', () =>
        resolve({ status: res.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    call.once('timeout', () => call.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    call.once('error', (error) => reject(error.message === '' ? new Error(errorCode(error)) : error));
    call.end(body);
  });
}

const errorCode = (error: NodeJS.ErrnoException): string => error.code ?? 'cannot be reached';
