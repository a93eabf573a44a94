import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { InvalidValue } from './errors.ts';

/** One address to listen on. `host` null means every interface; port 0 means any free port. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string | null; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'fd'; readonly fd: number };

const hint =
  'write PORT, :PORT (all interfaces), ADDR:PORT, [v6]:PORT, unix:/path or fd:3, separated by commas';

/**
 * Reads a comma list of listen addresses (cli.md section 5). `PORT` alone means 127.0.0.1.
 * @throws InvalidValue when an item has none of the accepted forms
 */
export function parseListen(text: string): ListenAddress[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.some((item) => item === '')) throw new InvalidValue(`"${text}" contains an empty address`, hint);
  return items.map(parseAddress);
}

function parseAddress(item: string): ListenAddress {
  if (item.startsWith('unix:')) {
    const path = item.slice('unix:'.length);
    if (!path.startsWith('/')) throw new InvalidValue(`"${item}" needs an absolute path`, hint);
    requireSocketLength(path);
    return { kind: 'unix', path };
  }
  if (item.startsWith('fd:')) {
    const fd = item.slice('fd:'.length);
    if (!/^\d{1,6}$/.test(fd)) throw new InvalidValue(`"${item}" is not a valid file descriptor`, hint);
    return { kind: 'fd', fd: Number(fd) };
  }
  if (/^\d+$/.test(item)) return { kind: 'tcp', host: '127.0.0.1', port: parsePort(item, item) };
  return parseHostAndPort(item);
}

/** What an address of a socket holds without its final NUL: 108 bytes on Linux, 104 on others. */
const MAX_SOCKET_BYTES = process.platform === 'linux' ? 107 : 103;

function requireSocketLength(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_SOCKET_BYTES) return;
  throw new InvalidValue(
    `'unix:${path}' has ${bytes} bytes, but a socket path on this system can have at most ${MAX_SOCKET_BYTES}`,
    'choose a shorter path, for example unix:/run/appctl/http.sock',
  );
}

function parseHostAndPort(item: string): ListenAddress {
  const match = /^(?:\[(?<v6>[^\]]+)\]|(?<host>[^:[\]]*)):(?<port>\d+)$/.exec(item);
  const { v6, host, port } = match?.groups ?? {};
  if (port === undefined) throw new InvalidValue(`"${item}" is not a valid listen address`, hint);
  if (v6 !== undefined) {
    // A zone is a matter of one machine and has no place in the URL under which the server says it is reached.
    if (!isIPv6(v6) || v6.includes('%')) throw new InvalidValue(`"${v6}" is not a valid IPv6 address`, hint);
    return { kind: 'tcp', host: v6, port: parsePort(port, item) };
  }
  if (host === undefined || host === '') return { kind: 'tcp', host: null, port: parsePort(port, item) };
  if (!isHost(host)) throw new InvalidValue(`"${host}" is not a valid IPv4 address or host name`, hint);
  return { kind: 'tcp', host, port: parsePort(port, item) };
}

/** URLs read a name that ends in a number as an IPv4 address, also in forms such as 127.1: only the whole one is taken. */
function isHost(text: string): boolean {
  if (!/^[A-Za-z0-9.-]+$/.test(text) || !URL.canParse(`http://${text}`)) return false;
  return isIPv4(text) || !isIPv4(new URL(`http://${text}`).hostname);
}

function parsePort(digits: string, item: string): number {
  const port = Number(digits);
  if (port > 65_535) throw new InvalidValue(`"${item}": the largest port is 65535`, hint);
  return port;
}

/** Writes an address in the form that parseListen reads. */
export function formatListenAddress(address: ListenAddress): string {
  if (address.kind === 'unix') return `unix:${address.path}`;
  if (address.kind === 'fd') return `fd:${address.fd}`;
  return `${bracketed(address.host ?? '')}:${address.port}`;
}

/**
 * Returns the URL under which a browser on this machine reaches an address.
 * A wildcard becomes 127.0.0.1; a socket that is no TCP port becomes `localhost`.
 */
export function originOf(address: ListenAddress | undefined, scheme: 'http' | 'https'): string {
  if (address?.kind !== 'tcp') return `${scheme}://localhost`;
  const wildcard = address.host === null || address.host === '0.0.0.0' || address.host === '::';
  return `${scheme}://${wildcard ? '127.0.0.1' : bracketed(address.host ?? '')}:${address.port}`;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a host is this machine itself, in any form in which an address or a URL writes it. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  const family = isIP(name);
  if (family === 0) return name === 'localhost' || name.endsWith('.localhost');
  return loopback.check(name, family === 4 ? 'ipv4' : 'ipv6');
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
