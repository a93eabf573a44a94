import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { inRanges, parseRange } from '../http/client-address.ts';

type Range = ReturnType<typeof parseRange>;

const ranges = (...cidrs: string[]): readonly Range[] => cidrs.map(parseRange);

/** Everything that is given out for the public internet; ipaddr.js alone lets 4000::1 and ::7f00:1 pass. */
const GLOBAL_6 = ranges('2000::/3');
/** Protocol assignments with Teredo, documentation, 6to4, documentation, AS112: none is somebody's server. */
const SPECIAL_6 = ranges('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48');
/** Protocol assignments, AS112, AMT, the retired 6to4 relays, AS112. */
const SPECIAL_4 = ranges(
  '192.0.0.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
);

/** Spellings that ipaddr.js reads and a resolver never answers (2130706433, 0x7f.1) are no addresses; nor is a zone. */
const isPlain = (ip: string): boolean => isIP(ip) !== 0 && !ip.includes('%');

/**
 * Whether an address lies in a range that the operator has opened.
 *
 * @param opened CIDR blocks
 */
export const isOpened = (ip: string, opened: readonly string[]): boolean =>
  isPlain(ip) && inRanges(ip, ranges(...opened));

/**
 * Whether an address that a user named may be connected to (reliability M8): a public one, or one that is opened.
 *
 * @param opened CIDR blocks
 */
export function isAllowed(ip: string, opened: readonly string[]): boolean {
  if (!isPlain(ip)) return false;
  if (isOpened(ip, opened)) return true;
  const address = ipaddr.process(ip);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4'
    ? !inRanges(ip, SPECIAL_4)
    : inRanges(ip, GLOBAL_6) && !inRanges(ip, SPECIAL_6);
}

const KINDS: Readonly<Record<string, string>> = {
  private: 'a private address',
  uniqueLocal: 'a private address',
  loopback: 'an address of this machine',
  unspecified: 'an address of this machine',
  linkLocal: 'a link-local address',
  carrierGradeNat: 'an address of carrier-grade NAT',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
};

/** What kind of address it is, for people: `a private address`. */
export function describeAddress(ip: string): string {
  const range = isPlain(ip) ? ipaddr.process(ip).range() : 'unicast';
  return KINDS[range] ?? 'not a public address';
}
