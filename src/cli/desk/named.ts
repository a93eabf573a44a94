import type { Endpoint } from '#kernel/http/endpoint.ts';
import type { Cli } from '../frame/context.ts';
import type { DeskApi } from './api.ts';
import { type Desk, isBeginning, isWholeId } from './desk.ts';
import { findTwin } from './twin.ts';

/** The operations that a command calls, of one API. */
export interface Offered {
  readonly api: DeskApi;
  readonly twins: readonly Endpoint[];
}

/** Collections whose items people call by other names than those that their operations know. */
const CALLED: ReadonlySet<string> = new Set(['licenses', 'releases']);

const loadLicenses = async () =>
  (await import('#licensing/licenses/licenses/resource.ts')).licenseResource.endpoints('license-admin');

/** What declares a list, for commands that name a thing of it and do nothing else there. */
const LISTS: Readonly<Record<string, () => Promise<readonly Endpoint[]>>> = { licenses: loadLicenses };

/** Parameters and fields that name a thing of a list. */
const NAMING: Readonly<Record<string, string>> = { licenseId: 'licenses', subject: 'licenses' };

type Opener = (offered: Offered) => Desk | Promise<Desk>;

/**
 * A desk that takes for an id also an unambiguous beginning of it, and what else people call a license or a release.
 * Wherever a call names something, that is looked up in the list it stands in: on the installation and on a server
 * alike. Nothing is asked where the whole id is given. A mistyped name is refused with the one that is near.
 *
 * @param open the desk itself, for the operations that it is given
 */
export async function namedDesk(cli: Cli, open: Opener, offered: Offered): Promise<Desk> {
  const desk = await open(offered);
  if (desk.byApiKey !== null) return desk;
  const { inPath, inFields } = wholeIds(cli, desk, open, offered);
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: string }).code !== 'NOT_FOUND') throw error;
      const { withNearName } = await import('./near.ts');
      throw await withNearName(error, (twins) => open({ ...offered, twins }));
    }
  };
  return {
    ...desk,
    get: (path, query, of) =>
      told(async () => desk.get(await inPath('get', path), await inFields(query), of)),
    post: (path, body, options) =>
      told(async () => desk.post(await inPath('post', path), await inFields(body), options)),
    put: (path, body, options) => told(async () => desk.put(await inPath('put', path), body, options)),
    patch: (path, body, options) => told(async () => desk.patch(await inPath('patch', path), body, options)),
    delete: async (path, options, body) => desk.delete(await inPath('delete', path), options, body),
    upload: async (path, file, onBytes, how) =>
      desk.upload(await inPath(how?.method ?? 'put', path), file, onBytes, how),
    download: async (path, query, take, headers) =>
      desk.download(await inPath('get', path), await inFields(query), take, headers),
  };
}

/** What puts whole ids in place of what was typed, each looked up once. */
function wholeIds(cli: Cli, desk: Desk, open: Opener, offered: Offered) {
  const { api, twins } = offered;
  const found = new Map<string, Promise<string>>();
  const listIn = (known: readonly Endpoint[], collection: string): Endpoint | undefined =>
    known.find(({ method, path }) => method === 'get' && path === api.base + collection);
  const look = async (collection: string, text: string): Promise<string> => {
    const { idOf } = await import('./find-named.ts');
    const [own, load] = [listIn(twins, collection), LISTS[collection]];
    if (own !== undefined || load === undefined) return idOf(cli, desk, { collection, list: own, text });
    const lists = await load();
    const there = await open({ ...offered, twins: lists });
    return idOf(cli, there, { collection, list: listIn(lists, collection), text });
  };
  const idOf = (collection: string, text: string): Promise<string> => {
    const name = `${collection} ${text}`;
    const asked = found.get(name) ?? look(collection, text);
    found.set(name, asked);
    return asked;
  };
  const inPath = async (method: Endpoint['method'], path: string): Promise<string> => {
    const parts = path.split('/');
    if (parts.length === 1) return path;
    const pattern = findTwin(twins, api.base, { method, path })
      ?.endpoint.path.slice(api.base.length)
      .split('/');
    if (pattern === undefined) return path;
    for (const [at, name] of pattern.entries()) {
      const text = decodeURIComponent(parts[at] ?? '');
      if (!name.startsWith('{') || !isShort(text, pattern[at - 1] ?? '')) continue;
      parts[at] = encodeURIComponent(await idOf(parts.slice(0, at).join('/'), text));
    }
    return parts.join('/');
  };
  const inFields = async <T extends object | undefined>(fields: T): Promise<T> => {
    const whole: Record<string, string> = {};
    for (const [name, text] of Object.entries(fields ?? {})) {
      const collection = NAMING[name];
      if (collection === undefined || typeof text !== 'string' || !isShort(text, collection)) continue;
      whole[name] = await idOf(collection, text);
    }
    return Object.keys(whole).length === 0 ? fields : { ...fields, ...whole };
  };
  return { inPath, inFields };
}

/** Whether a text may mean a thing of a list without being its id. */
const isShort = (text: string, collection: string): boolean =>
  !isWholeId(text) && (isBeginning(text) || CALLED.has(collection));
