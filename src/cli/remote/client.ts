import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import {
  type Answer,
  type Destination,
  exchange,
  type Request,
  readAnswer,
  receiving,
  type Sending,
} from './exchange.ts';
import type { Server } from './server.ts';

/** Of a server that says nothing; publishing hashes a whole bundle before it answers. */
const PATIENCE_SECONDS = 120;

/** What a call of a server is. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1/`, or of the root when it begins with a slash; its parts are encoded. */
  readonly path: string;
  /** What is undefined is left out. */
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  /** JSON body. */
  readonly body?: object | undefined;
  /** A body of bytes, in place of JSON. */
  readonly sending?: Sending | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a server answered. */
export interface Understood<T> {
  readonly body: T;
  readonly headers: IncomingHttpHeaders;
}

/** Calls a server. */
export interface Client {
  /**
   * @param reply what of the answer is read; further fields are left out
   * @throws AppError as the server answered; CliError 9 without an answer, 1 for one that is not understood
   */
  call<T>(call: Call, reply: z.ZodType<T>): Promise<Understood<T>>;
  /** Hands bytes over as they arrive. @throws as call, and what `take` throws */
  receive<T>(call: Call, take: (reply: IncomingMessage) => Promise<T>): Promise<T>;
}

/**
 * The client of a command. The tenant is named only where the command line or the environment did: a token of the whole
 * installation acts for it, others know theirs.
 *
 * @param credential what opens the calls, as a header; none for a login
 */
export async function clientOf(
  cli: Cli,
  { base, ca }: Pick<Server, 'base' | 'ca'>,
  credential: Readonly<Record<string, string>>,
): Promise<Client> {
  const { config, entries } = await cli.config();
  const destination: Destination = {
    base,
    ca,
    headers: {
      ...credential,
      Accept: 'application/json',
      ...(entries.tenant.source !== 'default' && { 'X-Tenant': config.tenant }),
    },
    patienceMs: (cli.timeoutSeconds ?? PATIENCE_SECONDS) * 1000,
    environment: cli.io.env,
  };
  return {
    async call(call, reply) {
      const answer = await exchange(destination, requestOf(base, call));
      return { body: understood(base, answer, reply), headers: answer.headers };
    },
    receive: (call, take) =>
      receiving(destination, requestOf(base, call), async (reply) => {
        if (reply.statusCode === 200) return take(reply);
        throw refusalOf(base, await readAnswer(reply));
      }),
  };
}

/**
 * The client of the admin API of a server.
 *
 * @throws usage error (2) without a token, and for another kind of key
 */
export async function adminClient(cli: Cli, server: Server): Promise<Client> {
  const client = await clientOf(cli, server, { Authorization: `Bearer ${adminToken(server.key)}` });
  const { tenant } = (await cli.config()).config;
  const told = refusalTold(server, tenant);
  return {
    call: (call, reply) => client.call(call, reply).catch(told),
    receive: (call, take) => client.receive(call, take).catch(told),
  };
}

const NEW_TOKEN = 'appctl admin token create --name ci --role licensing --out admin.token';

/** What the server refused, in the words of who typed the command, with what cures it. */
const refusalTold =
  ({ base, profile }: Server, tenant: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError)) throw error;
    const { status, details } = error;
    const cured = (message: string, hint: string) =>
      new AppError(error.code, status, message, { details: { ...details, hint } });
    // A login ends with its password, its account and its time; a token with its own.
    if (status === 401 && profile !== null)
      throw cured(error.message, `appctl login ${base.origin} --profile ${profile}`);
    if (status === 401) throw cured(error.message, `create a new one on the server: ${NEW_TOKEN}`);
    if (details.header === 'X-Tenant')
      throw cured(
        `tenant ${tenant} was not found, or you have no access to it`,
        'leave out --tenant, or name another one',
      );
    if (status === 404 && base.pathname !== '/' && error.message.startsWith('No such'))
      throw cured(`${base.href} is not the root of an appctl server`, `use ${base.origin}`);
    throw error;
  };

function adminToken(key: string | null): string {
  const hint = `appctl login URL; or on the server: ${NEW_TOKEN}`;
  if (key === null) throw usageError('--server needs a login, or an admin token: --api-key-file FILE', hint);
  if (/^adm_[\x21-\x7e]+$/.test(key)) return key;
  throw usageError('--api-key-file contains no admin token (adm_…), which this command needs', hint);
}

function requestOf(base: URL, { method, path, query = {}, body, sending, headers = {} }: Call): Request {
  const url = new URL(path.startsWith('/') ? path.slice(1) : `api/v1/${path}`, base);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const json = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const jsonSending = json && { type: 'application/json', size: json.length, chunks: () => [json] };
  return { method, url, headers, sending: sending ?? jsonSending };
}

/** Reads an answer: what it holds, or the error that it reports. */
function understood<T>(base: URL, answer: Answer, reply: z.ZodType<T>): T {
  const { status, text } = answer;
  if (status < 200 || status >= 300) throw refusalOf(base, answer);
  const sent = status === 204 ? undefined : withoutEnvelope(jsonOf(text));
  const read = reply.safeParse(sent);
  if (read.success) return asSent(sent, read.data) as T;
  throw strange(base, status, 'its answer was not understood: the two programs may have different versions');
}

function refusalOf(base: URL, { status, text, headers }: Answer): Error {
  const { code, message, details } = errorOf(jsonOf(text));
  if (code !== undefined && message !== undefined) return new AppError(code, status, message, { details });
  if (status >= 300 && status < 400)
    return strange(base, status, `it points to ${headers.location ?? 'another address'}: use that address`);
  return strange(base, status, 'something other than appctl answered, such as a proxy');
}

function withoutEnvelope(document: unknown): unknown {
  if (typeof document !== 'object' || document === null) return document;
  const { success: _success, ...body } = document as Record<string, unknown>;
  return body;
}

/** What was read, in the order in which it was sent: reading puts fields in the order of their schema. */
function asSent(sent: unknown, read: unknown): unknown {
  if (Array.isArray(sent) && Array.isArray(read)) return read.map((item, index) => asSent(sent[index], item));
  if (typeof sent !== 'object' || sent === null || typeof read !== 'object' || read === null) return read;
  const fields = read as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(sent)
      .filter(([name]) => name in fields)
      .map(([name, value]) => [name, asSent(value, fields[name])]),
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The store says its code beside the message, the license service with it. */
function errorOf(document: unknown): { code?: string; message?: string; details: Record<string, unknown> } {
  const answer = (document ?? {}) as Record<string, unknown>;
  const { error_code: storeCode, error } = answer;
  const { code, message, details } =
    typeof error === 'string'
      ? { code: storeCode, message: error, details: answer.details }
      : ((error ?? {}) as Record<string, unknown>);
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
