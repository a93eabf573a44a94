import { closeSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';

/** What sockaddr_un holds on Linux, without its final NUL and a little less, so that other systems fit too. */
const MAX_PATH_BYTES = 100;
const ANSWER_MS = 1000;

/** A socket's path in a form that the system takes, and what is to be closed when it is of no more use. */
export interface SocketPath {
  readonly path: string;
  release(): void;
}

/**
 * A data directory may lie deeper than the 107 bytes that a socket's address holds. Linux then reaches it through
 * its open folder; elsewhere the path stays as it is, and listening says that it is too long.
 */
export function shortPath(path: string): SocketPath {
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES || process.platform !== 'linux') {
    return { path, release: () => undefined };
  }
  const folder = openSync(dirname(path), 'r');
  return { path: join('/proc/self/fd', String(folder), basename(path)), release: () => closeSync(folder) };
}

/** Whether somebody accepts connections on a socket. A socket that we may not enter counts as alive. */
export async function socketAnswers(path: string): Promise<boolean> {
  const short = shortPath(path);
  try {
    return await new Promise<boolean>((resolve) => {
      const socket = connect(short.path);
      const end = (answer: boolean): void => {
        socket.destroy();
        resolve(answer);
      };
      socket.setTimeout(ANSWER_MS, () => end(true));
      socket.once('connect', () => end(true));
      socket.once('error', (error: NodeJS.ErrnoException) =>
        end(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
      );
    });
  } finally {
    short.release();
  }
}

/**
 * Takes away the socket that a killed server left behind; one that answers, and anything that is no socket, stays.
 * It is moved aside before it is removed: a server that took its place in this moment is found alive and put back.
 */
export async function removeDeadSocket(path: string): Promise<void> {
  if (!isSocket(path) || (await socketAnswers(path))) return;
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (await socketAnswers(aside)) renameSync(aside, path);
  else rmSync(aside, { force: true });
}

function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? false;
}
