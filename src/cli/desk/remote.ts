import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { adminClient, type Call, type Client, clientOf, type Understood } from '../remote/client.ts';
import { formOf } from '../remote/form.ts';
import type { Server } from '../remote/server.ts';
import type { DeskApi } from './api.ts';
import {
  type ByApiKey,
  type ChangeOptions,
  counted,
  type Desk,
  type Query,
  type TenantNamed,
} from './desk.ts';
import type { Offered } from './named.ts';
import { queryTexts, twinOf } from './twin.ts';

const API_KEY = /^(?:alk|ask)_[\x21-\x7e]+$/;
const DRY_RUN = { 'Dry-Run': 'true' };
const Anything = z.looseObject({});

/**
 * The desk of a server.
 *
 * @param offered the operations that the command calls: their answers are read as they declare them
 * @throws usage error (2) without what opens the server
 */
export async function remoteDesk(cli: Cli, server: Server, offered: Offered): Promise<Desk> {
  const { api } = offered;
  const client = await openedBy(cli, server, api);
  if (client === null) return keyDesk(cli, server, server.key ?? '');
  const prepared = memo(() => requireRehearsals(client, api));
  const call = caller(cli, client, offered);
  const change =
    (method: Call['method']) =>
    async <T>(path: string, body?: object, options: ChangeOptions = {}): Promise<T> => {
      const isRehearsed = cli.dryRun || options.rehearse === true;
      if (isRehearsed) await prepared();
      const headers = { ...conditionOf(options), ...(isRehearsed && DRY_RUN) };
      const answer = await call<T>(method, path, { query: queryTexts(options.query), body, headers });
      if (isRehearsed && answer.headers['dry-run'] !== 'true') throw notRehearsed();
      if (!isRehearsed) keepSecret(answer.body, options);
      return answer.body;
    };
  return {
    local: null,
    byApiKey: null,
    get: async <T>(path: string, query?: Query, of?: TenantNamed) => {
      const headers = of ? { 'X-Tenant': of.slug } : {};
      return (await call<T>('GET', path, { query: queryTexts(query), headers })).body;
    },
    post: change('POST'),
    put: change('PUT'),
    patch: change('PATCH'),
    delete: (path, options, body) => change('DELETE')(path, body, options),
    async upload<T>(...[path, file, onBytes = () => undefined, how]: Parameters<Desk['upload']>) {
      const sending = formOf({ ...file, open: () => counted(file.open(), onBytes) });
      const query = queryTexts(how?.query);
      return (await call<T>(how ? 'POST' : 'PUT', path, { sending, query })).body;
    },
    download: (path, query, take, headers) =>
      client.receive(
        { method: 'GET', path: `${api.base}${path}`, query: queryTexts(query), headers },
        (reply) => {
          const length = reply.headers['content-length'];
          const size = length === undefined ? null : Number(length);
          return take({ type: reply.headers['content-type'] ?? '', size, chunks: reply });
        },
      ),
  };
}

/** Calls operations by their declarations; one that needs the password again asks for it. */
const caller =
  (cli: Cli, client: Client, { api, twins }: Offered) =>
  <T>(method: Call['method'], path: string, given: Partial<Call>): Promise<Understood<T>> => {
    const called = { method: method.toLowerCase() as Endpoint['method'], path };
    const { endpoint } = twinOf(twins, api.base, called);
    const reply = z.union(Object.values(endpoint.replies) as [z.ZodType, ...z.ZodType[]]);
    const sent = { ...given, method, path: `${api.base}${path}` };
    return withSudo(cli, client, () => client.call(sent, reply as z.ZodType<T>));
  };

/** The client of an API by what opens it; null for an API key that opens another one. */
async function openedBy(cli: Cli, server: Server, { keys }: DeskApi): Promise<Client | null> {
  const { key } = server;
  if (key === null || !API_KEY.test(key)) return adminClient(cli, server);
  if (keys === null || !key.startsWith(keys)) return null;
  return clientOf(cli, server, { Authorization: `Bearer ${key}` });
}

const conditionOf = ({ ifMatch }: ChangeOptions): Record<string, string> =>
  ifMatch === undefined ? {} : { 'If-Match': `"${ifMatch}"` };

function keepSecret(body: unknown, { secret }: ChangeOptions): void {
  if (!secret) return;
  const answer = body as Record<string, unknown>;
  // The API of the shop puts an item and what is told beside it into `data`.
  const { [secret.name]: told = (answer.data as typeof answer | undefined)?.[secret.name] } = answer;
  secret.keep(String(told));
}

/** Only the public operations of the license API take an API key. */
async function keyDesk(cli: Cli, server: Server, key: string): Promise<Desk> {
  const client = await clientOf(cli, server, { 'X-API-Key': key });
  const refuse = async (): Promise<never> => {
    throw usageError(
      `appctl ${cli.spec.path} needs a login or an admin token (adm_…), but this is an API key`,
      `appctl login ${server.base.origin}`,
    );
  };
  return {
    local: null,
    byApiKey: async <T>(...[method, path, body, headers]: Parameters<ByApiKey>) =>
      (await client.call({ method, path, body, headers }, Anything as unknown as z.ZodType<T>)).body,
    get: refuse,
    post: refuse,
    put: refuse,
    patch: refuse,
    delete: refuse,
    upload: refuse,
    download: refuse,
  };
}

/** What needs the password again asks for it on the terminal, once, and is repeated (Z7). */
async function withSudo<T>(cli: Cli, client: Client, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.details.reason !== 'SUDO_REQUIRED') throw error;
    if (!cli.ask.possible) {
      throw new CliError(
        exits.denied,
        error.code,
        'This operation needs your password again, but no terminal is available',
        {
          hint: 'run it on a terminal, or use an admin token: --api-key-file FILE',
          details: error.details,
        },
      );
    }
    const password = await cli.ask.hidden({ flag: '--api-key-file', message: 'Password' });
    await client.call({ method: 'POST', path: 'admin/auth/sudo', body: { password } }, Anything);
    return work();
  }
}

/** A server of before would make the change: who is logged in tells that it knows rehearsals. */
async function requireRehearsals(client: Client, { rehearsalsSince }: DeskApi): Promise<void> {
  if (rehearsalsSince === null) return;
  try {
    await client.call({ method: 'GET', path: rehearsalsSince }, Anything);
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 404) throw error;
    throw usageError(
      'this server does not support dry runs: its version is too old',
      'leave out --dry-run, or update the server',
    );
  }
}

const notRehearsed = (): CliError =>
  new CliError(exits.unexpected, 'UNEXPECTED_ANSWER', 'the server made the change instead of a dry run', {
    hint: 'a proxy between here and the server removes the Dry-Run header',
  });

function memo<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
