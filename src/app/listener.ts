import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** State of a listening socket in /proc/net/tcp. */
const LISTENING = '0A';

/**
 * The program that listens on a TCP port of this machine, as Linux tells it.
 *
 * @returns `node (pid 4711)`; null where it belongs to another user, or where the system does not tell
 */
export function listenerOn(port: number): string | null {
  try {
    const sockets = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => socketsOf(table, port));
    const pid = sockets.length === 0 ? undefined : pids().find((one) => holds(one, sockets));
    return pid === undefined ? null : `${nameOf(pid)} (pid ${pid})`;
  } catch {
    return null;
  }
}

function socketsOf(table: string, port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = readFileSync(table, 'utf8').split('\n').slice(1);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local = '', , state]) => state === LISTENING && local.endsWith(`:${hex}`))
    .map((columns) => `socket:[${columns[9]}]`);
}

const pids = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

function holds(pid: string, sockets: readonly string[]): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((fd) => sockets.includes(linkOf(`${folder}/${fd}`)));
  } catch {
    // It belongs to another user, or it has ended.
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function nameOf(pid: string): string {
  const [program = '', script = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  const own = basename(program);
  return /^(?:node|python\d*(?:\.\d+)?)$/.test(own) && script !== '' && !script.startsWith('-')
    ? `${own} ${basename(script)}`
    : own;
}
