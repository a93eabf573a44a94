// Holds each answer of the shop's API that a test was given against its declaration: what a test asks about one field, it
// thereby asks about all of them.
import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { loadConfig } from '#kernel/config/load.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import { surfacesOf } from '../../src/app/serve.ts';
import { noteSeenRow, rowName } from './store-rows.ts';

interface Matcher {
  readonly pattern: RegExp;
  readonly endpoint: Endpoint;
}

export interface StoreAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

let matchers: Promise<readonly Matcher[]> | undefined;

async function load(): Promise<readonly Matcher[]> {
  const { config } = await loadConfig({ cwd: import.meta.dirname, env: { HOME: import.meta.dirname } });
  const endpoints = surfacesOf(config).find(({ name }) => name === 'store')?.endpoints ?? [];
  return (
    endpoints
      .map((endpoint) => ({
        pattern: new RegExp(`^${endpoint.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        endpoint,
      }))
      // Words before parameters, as the router has them.
      .sort((a, b) => Number(a.endpoint.path.includes('{')) - Number(b.endpoint.path.includes('{')))
  );
}

/**
 * Judges a success by the schema of its operation, and notes that the operation was seen.
 *
 * @throws Error naming the operation and what differs: a field that is wrong, or one that is not declared
 */
export async function judgeStoreAnswer({ method, path, status, headers, body }: StoreAnswer): Promise<void> {
  const [address = ''] = path.split('?');
  const found = (await (matchers ??= load())).find(
    ({ pattern, endpoint }) => endpoint.method.toUpperCase() === method && pattern.test(address),
  );
  if (!found) return;
  const { endpoint } = found;
  const isJson = headers['content-type']?.startsWith('application/json') ?? false;
  const schema = endpoint.replies[status];
  if (isJson && schema) {
    const { success: _said, ...rest } = body as Record<string, unknown>;
    const read = schema.safeParse(rest);
    const name = `${method} ${endpoint.path}`;
    if (!read.success) throw new Error(`${name} answers other than declared: ${read.error.message}`);
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(read.data)), rest))
      throw new Error(`${name} answers more than declared: ${difference(read.data, rest).join(', ')}`);
  }
  noteSeenRow(rowName(method, endpoint.path));
}

/** Paths of what one value has and another one lacks. */
function difference(declared: unknown, answered: unknown, path = ''): string[] {
  if (typeof answered !== 'object' || answered === null || typeof declared !== 'object' || declared === null)
    return isDeepStrictEqual(declared, answered) ? [] : [path];
  return Object.entries(answered).flatMap(([name, value]) =>
    difference((declared as Record<string, unknown>)[name], value, `${path}/${name}`),
  );
}
