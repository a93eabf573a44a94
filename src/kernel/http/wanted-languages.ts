import type { IncomingMessage } from 'node:http';

/** Keeps the language that somebody chose; it names nobody. */
export const LANGUAGE_COOKIE = 'lang';

/** More than a browser sends. */
const MOST = 20;
const TAG = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i;

/**
 * The languages that a browser asks for, best first: the one that was chosen before, then those of Accept-Language
 * (RFC 9110, 12.5.4).
 *
 * @returns tags in small letters, such as `pt-br`
 */
export function wantedLanguages({ headers }: Pick<IncomingMessage, 'headers'>): string[] {
  const chosen = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=([^;]*)`).exec(headers.cookie ?? '')?.[1];
  const asked = (headers['accept-language'] ?? '').split(',', MOST).map((part, at) => {
    const [tag = '', ...parameters] = part.split(';').map((one) => one.trim());
    const quality = parameters.map((one) => /^q=([01](?:\.\d{1,3})?)$/.exec(one)?.[1]).find(Boolean);
    return { tag, at, quality: quality === undefined ? 1 : Number(quality) };
  });
  const ordered = asked
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality || one.at - other.at);
  return [chosen ?? '', ...ordered.map(({ tag }) => tag)]
    .filter((tag) => TAG.test(tag))
    .map((tag) => tag.toLowerCase());
}
