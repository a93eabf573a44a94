import type { Endpoint } from '#kernel/http/endpoint.ts';
import { notFoundError } from '../frame/errors.ts';
import type { Query } from './desk.ts';

/** An operation, and what its path says. */
export interface Twin {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
}

/** What is asked for; the path below the base of the API, its parts encoded. */
type Asked = { readonly method: Endpoint['method']; readonly path: string };

/**
 * The operation that a command calls.
 *
 * @param base path of the API
 * @throws NOT_FOUND (3) when a part of the path can be the name of nothing
 */
export function twinOf(twins: readonly Endpoint[], base: string, asked: Asked): Twin {
  const found = findTwin(twins, base, asked);
  if (found === undefined) throw new Error(`the command declares no operation ${asked.method} ${asked.path}`);
  refuseNameless(found, asked.path.split('/').map(decodeURIComponent));
  return found;
}

/** The same; undefined for what only a server has, such as a stream or a file. */
export function findTwin(
  twins: readonly Endpoint[],
  base: string,
  { method, path }: Asked,
): Twin | undefined {
  const parts = path.split('/').map(decodeURIComponent);
  return (
    twins
      .filter((endpoint) => endpoint.method === method)
      .map((endpoint) => ({ endpoint, params: paramsOf(base, endpoint.path, parts) }))
      .filter((twin): twin is Twin => twin.params !== null)
      // `releases/import` is meant before `releases/{id}`.
      .sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length)[0]
  );
}

function paramsOf(base: string, pattern: string, parts: readonly string[]): Record<string, string> | null {
  if (!pattern.startsWith(base)) return null;
  const names = pattern.slice(base.length).split('/');
  if (names.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const part = parts[index] ?? '';
    if (name.startsWith('{')) params[name.slice(1, -1)] = part;
    else if (name !== part) return null;
  }
  return params;
}

/** Some texts name nothing, and some of those would lead to another address. */
function refuseNameless({ endpoint, params }: Twin, parts: readonly string[]): void {
  const isNamed = endpoint.params?.safeParse(params).success ?? true;
  const bad = Object.values(params).find((text) => /^\.{0,2}$/.test(text)) ?? null;
  if (isNamed && bad === null) return;
  const text = bad ?? Object.values(params).at(-1) ?? '';
  const [kind = ''] = parts.slice(parts.indexOf(text) - 1);
  throw notFoundError(`${singular(kind)} ${text} was not found`);
}

/** `signing-keys` is the address of a `signing key`. */
const singular = (kind: string): string => kind.replaceAll('-', ' ').replace(/ies$/, 'y').replace(/s$/, '');

/** A query as an address holds it. */
export const queryTexts = (query: Query = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(',') : String(value)]],
    ),
  );
