import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import { socketAnswers } from '#kernel/http/unix-socket.ts';
import { ensurePrivateFolder, writePrivateFile } from '#kernel/private-files.ts';

/** What a running server leaves in `{data_dir}/run/server.json` for `status`, `health` and `open`. */
export interface ServerFile {
  pid: number;
  /** Reachable from this machine. */
  url: string;
  urls: readonly string[];
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

/** Takes the file away, if it is still that of this process. */
export function removeServerFile(config: Config): void {
  if (readServerFile(config)?.pid === process.pid) rmSync(serverFile(config), { force: true });
}
