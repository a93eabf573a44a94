import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Environment } from '#kernel/environment.ts';
import {
  ensurePrivateFolder,
  requirePrivateFile,
  UnsafeFile,
  writePrivateFile,
} from '#kernel/private-files.ts';
import { CliError, usageError } from '../frame/errors.ts';
import type { Server } from './server.ts';

/** What `appctl login` keeps. */
const Saved = z.object({
  server: z.url(),
  token: z.string(),
  email: z.string(),
  expiresAt: z.string(),
  ca: z.string().nullable(),
  /** Of the token; logins of older versions do not say it. */
  tokenId: z.string().optional(),
});
type Saved = z.output<typeof Saved>;

/** A saved login: a server with what opens it. */
export type Profile = Server & {
  readonly profile: string;
  readonly email: string;
  readonly expiresAt: string;
  /** Id of the token on the server, where it is known. */
  readonly tokenId: string | null;
};

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const ENDING = '.json';

const folderOf = (env: Environment): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'appctl', 'profiles');

const fileOf = (env: Environment, name: string): string => join(folderOf(env), `${name}${ENDING}`);

/** @throws usage error (2) for a name that is not a plain file name */
export function requireProfileName(name: string): void {
  if (NAME.test(name)) return;
  throw usageError(
    `--profile '${name}' is not a valid name`,
    'use letters, digits, dots, hyphens and underscores, at most 63',
  );
}

/** How a login is called that was given no name: the host of its server, and its port. */
export const profileNameOf = ({ host }: URL): string =>
  host
    .replaceAll(/[^A-Za-z0-9.]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 63);

/** Names of the saved logins, in order. */
export function profileNames(env: Environment): string[] {
  try {
    return readdirSync(folderOf(env))
      .filter((name) => name.endsWith(ENDING) && NAME.test(name))
      .map((name) => name.slice(0, -ENDING.length))
      .sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * A saved login.
 *
 * @throws usage error (2) when there is none of that name, or others may read its file, or it cannot be understood
 */
export function profileOf(env: Environment, name: string): Profile {
  requireProfileName(name);
  const path = fileOf(env, name);
  const saved = Saved.safeParse(jsonOf(readSaved(path, name, env)));
  if (!saved.success)
    throw usageError(`${path} is not a saved login`, `appctl login URL --profile ${name} writes it again`);
  const { server, token, tokenId = null, ...rest } = saved.data;
  return { base: new URL(server), key: token, profile: name, tokenId, ...rest };
}

/** As profileOf; null for one that does not exist or cannot be understood. */
export function profileIfKept(env: Environment, name: string): Profile | null {
  try {
    return profileOf(env, name);
  } catch (error) {
    if (error instanceof CliError) return null;
    throw error;
  }
}

/**
 * The saved login of a server, or null.
 *
 * @throws usage error (2) when there are several: they may belong to people who may do different things
 */
export function profileOfServer(env: Environment, base: URL): Profile | null {
  const found = profileNames(env)
    .map((name) => profileOf(env, name))
    .filter((profile) => profile.base.href === base.href);
  const [only = null, another] = found;
  if (only === null || another === undefined) return only;
  const names = found.map(({ profile }) => profile);
  throw usageError(
    `there are several saved logins to ${base.origin}: ${names.join(', ')}`,
    `choose one instead of --server: --profile ${only.profile}`,
  );
}

/** Writes a login, in a folder that only this user enters. @returns the path of its file (0600) */
export function saveProfile(env: Environment, name: string, saved: Saved): string {
  requireProfileName(name);
  ensurePrivateFolder(folderOf(env));
  const path = fileOf(env, name);
  writePrivateFile(path, `${JSON.stringify(saved, null, 2)}\n`);
  return path;
}

/** Forgets a login. */
export function removeProfile(env: Environment, name: string): void {
  rmSync(fileOf(env, name), { force: true });
}

function readSaved(path: string, name: string, env: Environment): string {
  try {
    requirePrivateFile(path);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UnsafeFile) throw usageError(error.message);
    if (!isMissing(error)) throw error;
    const known = profileNames(env);
    throw usageError(
      `no saved login is called ${name}`,
      known.length === 0 ? `appctl login URL --profile ${name}` : `saved logins: ${known.join(', ')}`,
    );
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
