import { resolve } from 'node:path';
import { InvalidValue } from './errors.ts';

const SCHEMES: Readonly<Record<string, 'starttls' | 'tls'>> = { 'smtp:': 'starttls', 'smtps:': 'tls' };
const PORTS = { none: '587', starttls: '587', tls: '465' } as const;
const WANTED = 'for example smtp://user:password@smtp.example.com:587, smtps://… or file:DIR';

const folderIn = (text: string): string | undefined => /^file:(?:\/\/(?=\/))?(.+)$/s.exec(text)?.[1];

/**
 * Where mails go: a mail server, or a folder that takes them as files, as an absolute path.
 *
 * @throws InvalidValue without the text, which may hold a password
 */
export function parseMailUrl(text: string, cwd: string): string {
  const folder = folderIn(text);
  if (folder !== undefined) return `file:${resolve(cwd, folder)}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !Object.hasOwn(SCHEMES, url.protocol) || url.hostname === '')
    throw new InvalidValue('is not the URL of a mail server', WANTED);
  const { search, pathname, hash } = url;
  if (!/^(\?secure=(none|starttls|tls))?$/.test(search) || !/^\/?$/.test(pathname) || hash !== '')
    throw new InvalidValue('contains more than a server and ?secure=none, starttls or tls', WANTED);
  try {
    decodeURIComponent(`${url.username}${url.password}`);
  } catch {
    throw new InvalidValue('has a user name or a password in which % is not %25', WANTED);
  }
  return text;
}

/** The folder that mails are written to; undefined for a mail server. */
export const mailFolderOf = (url: string | undefined): string | undefined =>
  url === undefined ? undefined : folderIn(url);

/** The settings that a URL fixes, as texts; a folder leaves no server. */
export function mailSettingsOf(url: string): Readonly<Record<string, string>> {
  if (folderIn(url) !== undefined) return { smtp_host: '' };
  const { protocol, hostname, port, username, password, searchParams } = new URL(url);
  const secure = (searchParams.get('secure') ?? SCHEMES[protocol]) as keyof typeof PORTS;
  return {
    smtp_host: hostname.replace(/^\[(.*)\]$/, '$1'),
    smtp_port: port || PORTS[secure],
    smtp_user: decodeURIComponent(username),
    smtp_password: decodeURIComponent(password),
    smtp_secure: secure,
  };
}
