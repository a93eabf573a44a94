import { isIP } from 'node:net';
import { describeAddress, isAllowed, isOpened } from './addresses.ts';
import type { TargetRules } from './types.ts';

/** The guard's no: where somebody wanted to go is not allowed. */
export class TargetRefused extends Error {
  /** What was refused and the cure, for people. */
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.name = 'TargetRefused';
    this.reason = reason;
  }
}

const MAX_LENGTH = 2048;
const MAX_HOST_LENGTH = 253;
const FIRST_FREE_PORT = 1024;
/** Databases, caches, queues, remote desktops and container engines: they take a request apart in ways of their own. */
const CLOSED_PORTS: readonly number[] = [
  1433, 1521, 2049, 2375, 2376, 2379, 3306, 3389, 5432, 5672, 5900, 5984, 6379, 7001, 8500, 9042, 9200, 9300,
  11_211, 27_017,
];
const INSIDE_SUFFIXES = ['.localhost', '.local', '.internal', '.home.arpa'];
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Reads an address that a user named by the rules of reliability M8, without asking anybody. Names are judged again by
 * the addresses they resolve to (`resolveTarget`).
 *
 * @param text as typed, at most 2,048 characters
 * @returns the URL without its fragment
 * @throws TargetRefused
 */
export function parseTarget(text: string, rules: TargetRules): URL {
  // Looked for in the text: `new URL` takes CR, LF, TAB and outer spaces away without a word.
  if (/[\p{Cc}\s]/u.test(text))
    throw new TargetRefused('the address contains a space or a control character');
  // Programs disagree about what a backslash separates.
  if (text.includes('\\')) throw new TargetRefused('the address contains a backslash');
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined || !URL.canParse(text)) {
    throw new TargetRefused(`the address is not an ${rules.allowHttp ? 'http or https' : 'https'} URL`);
  }
  if (authority.includes('@')) {
    throw new TargetRefused(
      'the address must not contain a user name or a password; use a header for credentials',
    );
  }
  const url = new URL(text);
  url.hash = '';
  // What is sent counts too: a letter that is not ASCII takes up to nine characters there.
  if (Math.max(text.length, url.href.length) > MAX_LENGTH) {
    throw new TargetRefused(`the address is longer than ${MAX_LENGTH} characters`);
  }
  checkPort(url);
  checkHost(url, rules);
  return url;
}

/** The host as a look-up, a certificate and `net.isIP` know it: no brackets around IPv6. */
export const hostOf = ({ hostname }: URL): string =>
  hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;

/**
 * Whether an address may be connected to for this URL.
 *
 * @param ip an IP literal of the URL, an answer of the look-up, or the peer of the connection
 * @throws TargetRefused naming the address
 */
export function checkAddress(url: URL, ip: string, rules: TargetRules): void {
  const host = hostOf(url);
  const isLiteral = isIP(host) !== 0;
  const named = isLiteral ? ip : `${host} resolves to ${ip},`;
  if (!isAllowed(ip, rules.openedRanges)) {
    const is = isLiteral ? 'is' : 'which is';
    throw new TargetRefused(
      `${named} ${is} ${describeAddress(ip)}; the operator can allow its range in ${rules.opensMore.ranges}`,
    );
  }
  if (isOpened(ip, rules.openedRanges)) return;
  if (isInsideName(host)) {
    throw new TargetRefused(
      `${host} is a name of a private network but resolves to ${ip}, outside of ${rules.opensMore.ranges}`,
    );
  }
  if (isRefusedScheme(url, rules)) throw plainHttp(rules);
}

function checkPort({ port }: URL): void {
  if (port === '') return;
  const number = Number(port);
  if (number === 80 || number === 443) return;
  if (number >= FIRST_FREE_PORT && !CLOSED_PORTS.includes(number)) return;
  throw new TargetRefused(
    `port ${port} is not allowed: use 80, 443 or a port from 1024 on that does not belong to a database`,
  );
}

function checkHost(url: URL, rules: TargetRules): void {
  const host = hostOf(url);
  if (isIP(host) !== 0) {
    checkAddress(url, host, rules);
    return;
  }
  const name = withoutDot(host);
  if (name.length > MAX_HOST_LENGTH || !name.split('.').every((label) => LABEL.test(label))) {
    throw new TargetRefused('the address has no valid host name');
  }
  // Whether such a target lies in an opened range is known after the look-up.
  if (rules.openedRanges.length > 0) return;
  if (isInsideName(host)) {
    throw new TargetRefused(
      `${host} is a name of a private network; the operator can allow its range in ${rules.opensMore.ranges}`,
    );
  }
  if (isRefusedScheme(url, rules)) throw plainHttp(rules);
}

const withoutDot = (host: string): string => (host.endsWith('.') ? host.slice(0, -1) : host);

/** Names that mean something only inside: of this machine, of its network, of a cloud's machines. */
function isInsideName(host: string): boolean {
  if (isIP(host) !== 0) return false;
  const name = withoutDot(host);
  return !name.includes('.') || INSIDE_SUFFIXES.some((suffix) => name.endsWith(suffix));
}

const isRefusedScheme = ({ protocol }: URL, { allowHttp }: TargetRules): boolean =>
  protocol === 'http:' && !allowHttp;

const plainHttp = ({ opensMore }: TargetRules): TargetRefused =>
  new TargetRefused(`http is not allowed: use https; the operator can allow http with ${opensMore.http}`);
