import type { IncomingMessage } from 'node:http';
import { matchesTag } from './conditions.ts';
import type { Exchange } from './exchange.ts';
import { type Cookie, cacheText, type ReplyHead } from './reply.ts';

/** The name and the value that RFC 6265 lets a cookie have; the value is escaped before. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const ATTRIBUTE = /^[^;\p{Cc}]*$/u;
const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;

/**
 * Puts headers, cookies and the cache rule of an answer beside what the exchange has.
 *
 * @returns true when the request knows the answer by its entity tag: 304 without a body is all it needs
 */
export function addHead(
  exchange: Exchange,
  { headers, cookies, cache }: ReplyHead,
  isHttps: boolean,
): boolean {
  Object.assign(exchange.headers, headers);
  if (cookies && cookies.length > 0) {
    const before = exchange.headers['Set-Cookie'] ?? [];
    exchange.headers['Set-Cookie'] = [before, cookies.map((one) => cookieText(one, isHttps))].flat();
  }
  if (!cache) return false;
  exchange.headers['Cache-Control'] = cacheText(cache);
  if (cache.etag === undefined) return false;
  exchange.headers.ETag = cache.etag;
  return isKnown(exchange.req, cache.etag);
}

/** Whether a request for content knows it by its entity tag. */
export function isKnown({ method, headers }: IncomingMessage, etag: string): boolean {
  const known = headers['if-none-match'];
  return known !== undefined && (method === 'GET' || method === 'HEAD') && matchesTag(known, etag);
}

/** A `Set-Cookie` header. @throws Error for a name, path or domain that a header cannot carry */
function cookieText(cookie: Cookie, isHttps: boolean): string {
  const { name, value, path = '/', domain, httpOnly = true, sameSite = 'lax', secure = isHttps } = cookie;
  if (!TOKEN.test(name)) throw new Error(`${JSON.stringify(name)} is not a valid cookie name`);
  if (!ATTRIBUTE.test(path) || !ATTRIBUTE.test(domain ?? ''))
    throw new Error(
      `path and domain of the cookie ${name} must not contain control characters or semicolons`,
    );
  const maxAgeSeconds = value === null ? 0 : cookie.maxAgeSeconds;
  return [
    `${name}=${encodeURIComponent(value ?? '')}`,
    maxAgeSeconds !== undefined && `Max-Age=${maxAgeSeconds}`,
    domain !== undefined && `Domain=${domain}`,
    `Path=${path}`,
    httpOnly && 'HttpOnly',
    secure && 'Secure',
    `SameSite=${SAME_SITE[sameSite]}`,
  ]
    .filter((part) => part !== false)
    .join('; ');
}
