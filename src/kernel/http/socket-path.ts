import { existsSync, linkSync, lstatSync, rmSync } from 'node:fs';
import type { ListenOptions, Server } from 'node:net';
import { shortPath } from './unix-socket.ts';

/** The file of a Unix socket. */
export interface SocketFile {
  /** It belongs to another process from now on. */
  leave(): void;
  /** Takes it away, if it is still the one that was made. */
  remove(): void;
}

/**
 * Listens at a path. The socket is made under another name and linked to its own: Node removes the file that it made
 * when a server closes, and a successor that listens on the same socket would lose its clients with it.
 *
 * @throws Error with code EADDRINUSE when the path is taken, EACCES or ENOENT when it cannot be made
 */
export async function listenAt(server: Server, path: string): Promise<SocketFile> {
  if (existsSync(path)) throw inUse(path);
  const made = `${path}.${process.pid}`;
  const short = shortPath(made);
  try {
    await listenOn(server, { path: short.path });
    linkSync(made, path);
  } catch (error) {
    server.close();
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? inUse(path) : error;
  } finally {
    short.release();
    rmSync(made, { force: true });
  }
  return fileAt(path);
}

/** Resolves when a server listens. @throws Error with the code of the system */
export function listenOn(server: Server, where: ListenOptions | { readonly fd: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

/** The file of a socket that is listened on already: this process or a predecessor made it. */
export function fileAt(path: string): SocketFile {
  const inodeNow = () => lstatSync(path, { throwIfNoEntry: false })?.ino;
  let inode = inodeNow();
  return {
    leave() {
      inode = undefined;
    },
    remove() {
      if (inode !== undefined && inodeNow() === inode) rmSync(path, { force: true });
    },
  };
}

const inUse = (path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${path} is in use`), { code: 'EADDRINUSE' });
