import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** The unspecified address stands for a client whose socket has gone already. */
const UNKNOWN = '0.0.0.0';

/**
 * One spelling per address: IPv4-mapped IPv6 becomes IPv4, IPv6 its shortest form (D16).
 *
 * @param address socket address, perhaps with a zone; undefined when the socket is gone
 */
export function normalAddress(address: string | undefined): string {
  if (address === undefined) return UNKNOWN;
  if (/^\d+\.\d+\.\d+\.\d+$/.test(address)) return address;
  try {
    return ipaddr.process(address.split('%')[0] as string).toString();
  } catch {
    return UNKNOWN;
  }
}

/** Nobody, the last n hops, or the proxies in these CIDR blocks. Never everybody: any client would be believed (M18). */
export type TrustedProxies = false | number | readonly string[];

/**
 * How to find the address of a client: the socket's, or, coming from a trusted proxy, the right-most entry of
 * X-Forwarded-For that no trusted proxy added (D16).
 */
export function clientAddressReader(trusted: TrustedProxies): (req: IncomingMessage) => string {
  if (trusted === false) return (req) => normalAddress(req.socket.remoteAddress);
  const ranges = typeof trusted === 'number' ? [] : trusted.map(parseRange);
  const isTrusted = (address: string, hop: number) =>
    typeof trusted === 'number' ? hop < trusted : inRanges(address, ranges);
  return (req) => {
    const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',');
    let client = normalAddress(req.socket.remoteAddress);
    for (let hop = 0; isTrusted(client, hop); hop++) {
      const entry = forwarded.pop()?.trim();
      if (!entry) break;
      client = normalAddress(ownText(withoutPort(entry)));
    }
    return client;
  };
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (entry: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;

/**
 * The same characters as a string of their own. A part of a header keeps the whole header in memory, 16 kB that a client
 * chooses, for as long as the part is kept: an address lives as long as its rate limit window.
 */
const ownText = (part: string): string => Buffer.from(part).toString();

/** The key under which an address is limited: IPv6 per /64, because a client owns that many (D16). */
export const limitAddress = (ip: string): string => (ip.includes(':') ? network(ip, 64) : ip);

/** The network that an address belongs to as one customer's place: /24 of IPv4, /64 of IPv6 (D128). */
export const clientNetwork = (ip: string): string => network(ip, ip.includes(':') ? 64 : 24);

/** The coarser key that is used when too many addresses are alive: /16 of IPv4, /32 of IPv6 (M18). */
export const containmentKey = (ip: string): string => network(ip, ip.includes(':') ? 32 : 16);

function network(ip: string, bits: number): string {
  try {
    const cidr = `${ip.split('/')[0]}/${bits}`;
    const base = ip.includes(':')
      ? ipaddr.IPv6.networkAddressFromCIDR(cidr)
      : ipaddr.IPv4.networkAddressFromCIDR(cidr);
    return `${base.toString()}/${bits}`;
  } catch {
    return ip;
  }
}

/**
 * An address or CIDR block as a range.
 *
 * @param text `10.0.0.1`, `10.0.0.0/8`, `2001:db8::/32`
 * @throws RangeError when it is neither; short forms like `10.1` are refused, because libraries disagree on them
 */
export function parseRange(text: string): Range {
  const [address, bits, more] = text.split('/') as [string, ...(string | undefined)[]];
  const plain = /^\d{1,3}(\.\d{1,3}){3}$/.test(address) || (address.includes(':') && !address.includes('%'));
  try {
    if (!plain || more !== undefined || (bits !== undefined && !/^\d{1,3}$/.test(bits))) throw new Error();
    const parsed = ipaddr.process(address);
    const mapped = address.includes(':') && parsed.kind() === 'ipv4' ? 96 : 0;
    const size = parsed.kind() === 'ipv4' ? 32 : 128;
    const length = bits === undefined ? size : Number(bits) - mapped;
    if (length < 0 || length > size) throw new Error();
    return [parsed, length];
  } catch {
    throw new RangeError(`${text} is not an IP address or CIDR block`);
  }
}

/** Whether an address lies in one of the ranges; of another kind than the range it does not. */
export function inRanges(ip: string, ranges: readonly Range[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base as never, bits));
}

/** Whether a text is a CIDR block, or one address, that can be read. */
export function isRange(text: string): boolean {
  try {
    return parseRange(text).length === 2;
  } catch {
    return false;
  }
}
