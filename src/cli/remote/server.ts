import { usageError } from '../frame/errors.ts';
import { isLoopback } from './exchange.ts';

/** The server that a command runs on. */
export interface Server {
  readonly base: URL;
  /** What opens it: an admin token, the token of a login or an API key; null when none was given. */
  readonly key: string | null;
  /** The saved login that it comes from, or null. */
  readonly profile: string | null;
  /** Certificates as PEM that are trusted beside those of the system. */
  readonly ca: string | null;
}

/** The address below which the APIs of a server are. */
export const baseOf = (server: string): URL => new URL(server.endsWith('/') ? server : `${server}/`);

/**
 * @param sent what a request would carry
 * @throws usage error (2) for an address without TLS that is not this machine's
 */
export function requireSafe(base: URL, insecureHttp: boolean, sent: 'key' | 'password' = 'key'): void {
  if (base.protocol !== 'http:' || isLoopback(base.hostname) || insecureHttp) return;
  throw usageError(
    `${base.origin} would get the ${sent} unencrypted`,
    'use https, or set APPCTL_INSECURE_HTTP=on if you trust the network',
  );
}

/** `https://licenses.example.com (profile main)`, as messages name it. */
export const serverName = ({ base, profile }: Server): string =>
  `${base.href.replace(/\/$/, '')}${profile === null ? '' : ` (profile ${profile})`}`;
