import { AppError } from '#kernel/errors.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { serverAsked } from '../remote/asked.ts';
import { type Desk, isBeginning, type Query, type TenantNamed } from './desk.ts';
import { namedDesk } from './named.ts';
import { type Twins, withDesk } from './open.ts';

/** A family of commands whose things stand at the admin API or at the API of the shop. */
export interface Either {
  /** Operations of the license service. */
  readonly license: Twins;
  /** Operations of the shop, loaded when a command needs them. */
  readonly store: () => Promise<readonly Endpoint[]>;
  /** The desk of the shop, as the commands know the one of the license service. */
  readonly asLicense: (desk: Desk) => Promise<Desk>;
}

const loadStoreApi = async () => (await import('./store.ts')).storeApi;

/** Opens the desk of the shop for commands of both services. Throws as withDesk does. */
export const withStoreDesk = <T>(cli: Cli, either: Either, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, either.store, async (desk) => work(await either.asLicense(desk)), loadStoreApi);

/**
 * Opens the desk of the service that has a thing: that of the license service, or that of the shop where the other one
 * does not know it.
 *
 * @param path where the thing is read
 * @throws as withDesk does
 */
export const withEither = <T>(
  cli: Cli,
  either: Either,
  path: string,
  work: (desk: Desk) => Promise<T>,
): Promise<T> =>
  withDesk(cli, either.license, async (desk) => {
    const known = await knowing(desk, path);
    const text = decodeURIComponent(path.split('/').at(-1) ?? '');
    // The beginning of an id may be that of one in each service.
    if (known !== null && !isBeginning(text)) return work(known);
    const beside = await knowing(await either.asLicense(await deskBeside(cli, desk, either.store)), path);
    if (known !== null && beside !== null)
      throw usageError(`${text} matches one in the license service and one in the shop`, 'use its full id');
    // Where neither has it, the first one says so in the words of its commands.
    return work(known ?? beside ?? desk);
  });

const UNKNOWN: ReadonlySet<string> = new Set(['NOT_FOUND', 'INSUFFICIENT_SCOPE', 'AUTH_FORBIDDEN']);

/** A desk that has the thing, and what it said of it for whoever asks next; null where it does not know it. */
async function knowing(desk: Desk, path: string): Promise<Desk | null> {
  try {
    let told: { readonly answer: unknown } | null = { answer: await desk.get(path) };
    const get: Desk['get'] = async <T>(asked: string, query?: Query, of?: TenantNamed) => {
      if (told === null || asked !== path || query !== undefined || of !== undefined)
        return desk.get<T>(asked, query, of);
      const answer = told.answer as T;
      // After a change it is asked anew.
      told = null;
      return answer;
    };
    return { ...desk, get };
  } catch (error) {
    const isUnknown =
      (error instanceof AppError && UNKNOWN.has(error.code)) ||
      (error instanceof CliError && error.exit === exits.notFound);
    if (isUnknown) return null;
    throw error;
  }
}

/** The desk of the shop on the installation or the server of one that is open. */
async function deskBeside(cli: Cli, { local }: Desk, store: Either['store']): Promise<Desk> {
  const offered = { api: await loadStoreApi(), twins: await store() };
  const server = await serverAsked(cli);
  const [{ localDesk }, { remoteDesk }] = await Promise.all([import('./local.ts'), import('./remote.ts')]);
  if (local !== null) return namedDesk(cli, (some) => localDesk(local, some, cli.dryRun), offered);
  if (server === null) throw new Error('a desk is neither here nor on a server');
  return namedDesk(cli, (some) => remoteDesk(cli, server, some), offered);
}
