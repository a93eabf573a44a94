import { readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import { socketAnswers } from '#kernel/http/unix-socket.ts';
import { ensurePrivateFolder, writePrivateFile } from '#kernel/private-files.ts';

/** What a running server leaves in `{data_dir}/run/server.json` for `status`, `health` and `open`. */
export interface ServerFile {
  pid: number;
  /** Reachable from this machine. */
  url: string;
  urls: readonly string[];
  /** Address of its database, without the password; absent in the file of an older server. */
  database?: string;
  /** It runs with --dev, so that its clock may have been moved. */
  isDevelopment?: boolean;
  /** Path of the admin socket, or null when another server of this data directory has it. */
  socket: string | null;
  version: string;
  startedAt: string;
}

const runFolder = (config: Config): string => join(config.dataDir, 'run');
const serverFile = (config: Config): string => join(runFolder(config), 'server.json');

/** Path of the admin socket of a data directory. */
export const socketPath = (config: Config): string => join(runFolder(config), 'appctl.sock');

/** Whether a server runs on a data directory. */
export const serverAnswers = (config: Config): Promise<boolean> =>
  socketAnswers(socketPath(config)).catch(() => false);

/** Makes the folder of the socket, mode 0700. */
export const prepareRunFolder = (config: Config): void => ensurePrivateFolder(runFolder(config));

export const writeServerFile = (config: Config, file: ServerFile): void =>
  writePrivateFile(serverFile(config), `${JSON.stringify(file, null, 2)}\n`);

/** What the last server wrote, or null. It may have been killed since: only its socket tells whether it lives. */
export function readServerFile(config: Config): ServerFile | null {
  try {
    return JSON.parse(readFileSync(serverFile(config), 'utf8')) as ServerFile;
  } catch {
    return null;
  }
}

/**
 * Writes a page (mode 0600) that leads a browser of this user to an address.
 *
 * @returns its path
 */
export function writeRedirect(config: Config, url: string): string {
  const path = join(runFolder(config), 'open.html');
  const to = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  writePrivateFile(
    path,
    `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${to}"><title>appctl</title><a href="${to}">Continue</a>\n`,
  );
  return path;
}

/**
 * Refuses to work on another database than the server that runs on the same data directory: after a move to another
 * database a command without its address would go on with the old one, unnoticed. A database that the line itself
 * names with --db was meant.
 *
 * @throws ConfigError (78)
 */
export async function requireServersDatabase(config: Config): Promise<void> {
  const theirs = readServerFile(config)?.database;
  const ours = maskUrlPassword(config.database.url);
  if (theirs === undefined || config.databaseGiven.source === 'flag' || isSame(ours, theirs)) return;
  if (!(await serverAnswers(config))) return;
  const message = `the server that runs on ${config.dataDir} uses ${theirs}, but this command would use ${ours}`;
  const hint = `set APPCTL_DATABASE_URL to the database of the server; to work on the other one add --db ${ours}`;
  throw new ConfigError([{ key: 'database.url', message, hint }]);
}

/**
 * The clock of a server in development mode that runs on the data directory and whose clock was moved, for a command
 * that works on the same data; undefined where the machine's time is right.
 */
export async function serversClock(config: Config): Promise<Clock | undefined> {
  if (!readServerFile(config)?.isDevelopment) return undefined;
  const { callServer } = await import('#kernel/http/admin-socket.ts');
  const only = { advanceSeconds: 0 };
  const told = await callServer<{ shiftSeconds: number }>(socketPath(config), 'dev-clock', only).catch(
    () => null,
  );
  if (told === null || told.shiftSeconds === 0) return undefined;
  const { shiftedClock } = await import('#kernel/clock-shift.ts');
  return shiftedClock(systemClock, { ms: told.shiftSeconds * 1000 });
}

/** Whether two addresses without their passwords name one database: by host, port and name, or by the file. */
function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [placeOf(one), placeOf(other)];
  return first !== null && first === second;
}

function placeOf(url: string): string | null {
  try {
    if (url.startsWith('sqlite:')) return realpathSync(url.slice('sqlite:'.length));
    const { hostname, port, pathname } = new URL(url);
    const host = ['localhost', '[::1]'].includes(hostname) ? '127.0.0.1' : hostname;
    return `${host}:${port || 5432}${pathname}`;
  } catch {
    return null;
  }
}

/** Takes the file away, if it is still that of this process. */
export function removeServerFile(config: Config): void {
  if (readServerFile(config)?.pid === process.pid) rmSync(serverFile(config), { force: true });
}
