import type { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { type Answer, type Destination, exchange, isLoopback, type Sending } from './exchange.ts';

/** Of a server that says nothing; publishing hashes a whole bundle before it answers. */
const PATIENCE_SECONDS = 120;

/** What a call of the admin API is. */
export interface AdminCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1/admin/`, without a slash at its start. */
  readonly path: string;
  /** What is undefined is left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** JSON body. */
  readonly body?: object;
  /** A body of bytes, in place of JSON. */
  readonly sending?: Sending;
}

/** Calls the admin API of the server that `--server` names. */
export interface AdminClient {
  /**
   * @param reply what of the answer is read; further fields are left out
   * @throws AppError as the server answered; CliError 9 without an answer, 1 for one that is not understood
   */
  call<T>(call: AdminCall, reply: z.ZodType<T>): Promise<T>;
}

/**
 * The client of a command. The admin token is read from `--api-key-file` or APPCTL_API_KEY.
 *
 * @throws usage error (2) without a token, for another kind of key, and for an address that would send it in the clear
 */
export async function adminClient(cli: Cli): Promise<AdminClient> {
  const { config, entries } = await cli.config();
  const server = config.server ?? '';
  const base = new URL(server.endsWith('/') ? server : `${server}/`);
  const token = adminToken(config.apiKey);
  if (base.protocol === 'http:' && !isLoopback(base.hostname) && !config.insecureHttp) {
    throw usageError(
      `--server ${base.origin} would send the admin token unencrypted`,
      'use https, or APPCTL_INSECURE_HTTP=on where the network is yours alone',
    );
  }
  const destination: Destination = {
    base,
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'application/json',
      // A token of the whole installation acts for the tenant that is named; others know theirs.
      ...(entries.tenant.source !== 'default' && { 'X-Tenant': config.tenant }),
    },
    patienceMs: (cli.timeoutSeconds ?? PATIENCE_SECONDS) * 1000,
    environment: cli.io.env,
  };
  return { call: async (call, reply) => understood(base, await send(destination, call), reply) };
}

function adminToken(key: string | undefined): string {
  const hint = 'appctl admin token create --name ci --role licensing --out admin.token, on the server';
  if (key === undefined) throw usageError('--server needs an admin token: --api-key-file FILE', hint);
  const token = key.trim();
  if (/^adm_[\x21-\x7e]+$/.test(token)) return token;
  throw usageError('--api-key-file holds no admin token (adm_…), which these commands need', hint);
}

function send(
  destination: Destination,
  { method, path, query = {}, body, sending }: AdminCall,
): Promise<Answer> {
  const url = new URL(`api/v1/admin/${path}`, destination.base);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const json = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const jsonSending = json && { type: 'application/json', size: json.length, chunks: () => [json] };
  return exchange(destination, method, url, sending ?? jsonSending);
}

/** Reads an answer: what it holds, or the error that it reports. */
function understood<T>(base: URL, { status, text, location }: Answer, reply: z.ZodType<T>): T {
  const document = jsonOf(text);
  if (status >= 200 && status < 300) {
    const read = reply.safeParse(document);
    if (read.success) return read.data;
    throw strange(
      base,
      status,
      'its answer is not understood: the two programs may be of different versions',
    );
  }
  const { code, message, details } = errorOf(document);
  if (code !== undefined && message !== undefined) throw new AppError(code, status, message, { details });
  if (status >= 300 && status < 400)
    throw strange(base, status, `it points to ${location ?? 'another address'}: use that address`);
  throw strange(base, status, 'something between here and appctl answered');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function errorOf(document: unknown): { code?: string; message?: string; details: Record<string, unknown> } {
  const { error } = (document ?? {}) as { error?: Record<string, unknown> };
  const { code, message, details } = error ?? {};
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof message === 'string' && { message }),
    details: typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : {},
  };
}

const exitOfStatus = (status: number): number => {
  if (status === 401 || status === 403) return exits.denied;
  if (status === 404) return exits.notFound;
  if (status === 413) return exits.usage;
  return status >= 500 || status === 429 ? exits.unreachable : exits.unexpected;
};

const strange = (base: URL, status: number, why: string): CliError =>
  new CliError(exitOfStatus(status), 'UNEXPECTED_ANSWER', `${base.origin} answered ${status}: ${why}`, {
    details: { status },
  });
