import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isTimeZone } from '../local-time.ts';
import { InvalidValue } from './errors.ts';
import { formatListenAddress, parseListen } from './listen.ts';
import { parseStorageUrl, storageFolder } from './storage-url.ts';
import { parseMailUrl, parsePublicKeys, parseRecipients, parseSchedule } from './written-forms.ts';

/** How one kind of value is read from text. Relative paths count from `cwd`. */
export interface Kind<T> {
  /** @throws InvalidValue when the text is not of this kind */
  parse(text: string, cwd: string): T;
  /** The form that `config show` prints; the value itself when absent. */
  show?(value: T): string | number | boolean;
  /** An empty text is a value of its own and not the absence of one. */
  emptyCounts?: true;
}

function kind<T>(parse: Kind<T>['parse'], rest: Omit<Kind<T>, 'parse'> = {}): Kind<T> {
  return { parse, ...rest };
}

function choice<const T extends string>(...values: readonly T[]): Kind<T> {
  return {
    parse(text) {
      const found = values.find((value) => value === text.toLowerCase());
      if (found === undefined)
        throw new InvalidValue(`"${text}" is not a valid value`, `one of: ${values.join(', ')}`);
      return found;
    },
  };
}

function integer(min: number, max: number): Kind<number> {
  return {
    parse(text) {
      const value = Number(text);
      if (!/^\d+$/.test(text) || value < min || value > max) {
        throw new InvalidValue(`"${text}" is out of range`, `a whole number from ${min} to ${max}`);
      }
      return value;
    },
  };
}

const switchWords = new Map([
  ...['on', 'true', '1', 'yes'].map((word) => [word, true] as const),
  ...['off', 'false', '0', 'no'].map((word) => [word, false] as const),
]);

function parseSwitch(text: string): boolean {
  const value = switchWords.get(text.toLowerCase());
  if (value === undefined) {
    throw new InvalidValue(`"${text}" is not a switch`, 'on or off (also true, false, 1, 0, yes, no)');
  }
  return value;
}

const sizeUnits: Record<string, number> = {
  '': 1,
  b: 1,
  kb: 1024,
  mb: 1024 ** 2,
  gb: 1024 ** 3,
  tb: 1024 ** 4,
};

function parseSize(text: string): number {
  const match = /^(\d+)\s*([a-z]*)$/i.exec(text);
  const factor = sizeUnits[match?.[2]?.toLowerCase() ?? '-'];
  const bytes = Number(match?.[1]) * (factor ?? Number.NaN);
  if (!Number.isSafeInteger(bytes)) {
    throw new InvalidValue(`"${text}" is not a size`, 'a number with kb, mb, gb or tb, for example 25mb');
  }
  return bytes;
}

function formatSize(bytes: number): string {
  const unit = ['tb', 'gb', 'mb', 'kb'].find((name) => bytes > 0 && bytes % (sizeUnits[name] ?? 1) === 0);
  return unit === undefined ? String(bytes) : `${bytes / (sizeUnits[unit] ?? 1)}${unit}`;
}

function urlKind(schemes: readonly string[], example: string): Kind<string> {
  return {
    parse(text) {
      const url = URL.canParse(text) ? new URL(text) : null;
      if (url === null || !schemes.includes(url.protocol)) {
        // The text itself stays out of the message: it may hold a password.
        throw new InvalidValue(`is not a valid ${schemes.join(' or ')} URL`, `for example ${example}`);
      }
      return text;
    },
  };
}

function parseBaseUrl(text: string): string {
  urlKind(['http:', 'https:'], 'https://license.example.com').parse(text, '');
  const url = new URL(text);
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.pathname !== '/') {
    throw new InvalidValue(`"${url.origin}..." is more than an origin`, `write ${url.origin}`);
  }
  return url.origin;
}

function parseDatabaseUrl(text: string, cwd: string): string {
  if (/^postgres(ql)?:\/\//.test(text) && isWholeUrl(text)) return text;
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/s.exec(text)?.[1];
  if (path === undefined) {
    throw new InvalidValue('is not a database URL', DATABASE_FORMS);
  }
  return path === ':memory:' ? text : `sqlite:${resolve(cwd, path)}`;
}

const DATABASE_FORMS =
  'sqlite:PATH or postgres://user:password@host:5432/name, with one host; percent-encode special characters of the password: / is %2F, # is %23, ? is %3F, @ is %40';

/** A password with a slash, a number sign or a question mark ends the host early: the rest of it is then no password. */
function isWholeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { pathname, search, hash } = new URL(text);
  const isCut = pathname.includes('@') || hash !== '' || (pathname.length < 2 && search.includes('@'));
  return !isCut;
}

function parseCidrs(text: string): string[] {
  return text.split(',').map((item) => {
    const [address = '', bits, ...rest] = item.trim().split('/');
    // A zone is a matter of one machine and no part of a range.
    const family = address.includes('%') ? 0 : isIP(address);
    const width = family === 6 ? 128 : 32;
    const bitsFit = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width);
    if (family === 0 || rest.length > 0 || !bitsFit) {
      throw new InvalidValue(
        `"${item.trim()}" is not an address range`,
        'a list such as 10.0.0.0/8,fd00::/8',
      );
    }
    return `${address}/${bits ?? width}`;
  });
}

/** Bits of the widest range that is private to somebody: 10.0.0.0/8 and fc00::/7. */
const WIDEST_PROXY_RANGE = { 4: 8, 6: 7 } as const;

function isTooWide(range: string): boolean {
  const [address = '', bits] = range.split('/');
  if (isIP(address) === 4) return Number(bits) < WIDEST_PROXY_RANGE[4];
  // ::ffff:0:0/96 is all of IPv4.
  const isMapped = new URL(`http://[${address}]`).hostname.startsWith('[::ffff:');
  return Number(bits) < (isMapped ? 96 + WIDEST_PROXY_RANGE[4] : WIDEST_PROXY_RANGE[6]);
}

function parseTrust(text: string): false | number | string[] {
  // No hop is trusted where none is counted.
  if (text === 'none' || /^0+$/.test(text)) return false;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const ranges = parseCidrs(text);
  const tooWide = ranges.find(isTooWide);
  if (tooWide === undefined) return ranges;
  throw new InvalidValue(
    `"${tooWide}" trusts so many addresses that clients could claim to be others`,
    'set the addresses of your proxies, such as 10.0.0.0/8, or the number of proxies, such as 1',
  );
}

function parseTimeZone(text: string): string {
  // Asking Intl costs milliseconds at start, and the default needs no proof.
  if (text !== 'UTC' && !isTimeZone(text))
    throw new InvalidValue(`"${text}" is not a time zone`, 'a name such as Europe/Berlin or UTC');
  return text;
}

function parseEmail(text: string): string {
  if (/^[^\s@<>()[\],;:"\\]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(text) && text.length <= 254) return text;
  throw new InvalidValue(`"${text}" is not a valid email address`, 'for example ops@example.com');
}

function parseSlug(text: string): string {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) {
    throw new InvalidValue(`"${text}" is not a valid slug`, 'lower case letters, digits and hyphens');
  }
  return text;
}

function parseStoragePlace(text: string, cwd: string): string {
  const folder = storageFolder(text);
  if (folder !== undefined) return `file:${resolve(cwd, folder)}`;
  parseStorageUrl(text);
  return text;
}

function parseBackupPlace(text: string, cwd: string): string {
  if (text.startsWith('s3:')) {
    parseStorageUrl(text);
    return text;
  }
  return resolve(cwd, storageFolder(text) ?? text);
}

function parseKeep(text: string): { daily: number; weekly: number; monthly: number } {
  const found = /^(\d{1,4}),\s*(\d{1,4}),\s*(\d{1,4})$/.exec(text);
  if (!found) throw new InvalidValue(`"${text}" is not DAYS,WEEKS,MONTHS`, 'for example 7,4,6');
  return { daily: Number(found[1]), weekly: Number(found[2]), monthly: Number(found[3]) };
}

const migrateChoice = choice('yes', 'no', 'backup');

function parseAutoMigrate(text: string, cwd: string): 'yes' | 'no' | 'backup' {
  const word = switchWords.get(text.toLowerCase());
  if (word === undefined) return migrateChoice.parse(text, cwd);
  return word ? 'yes' : 'no';
}

/** Every kind of value a configuration key may have. */
export const kinds = {
  text: kind((text) => text),
  passphrase: kind((text) => text, { emptyCounts: true }),
  path: kind((text, cwd) => resolve(cwd, text)),
  switch: kind(parseSwitch),
  email: kind(parseEmail),
  count: integer(1, 1024),
  milliseconds: integer(0, 3_600_000),
  seconds: integer(0, 86_400),
  size: kind(parseSize, { show: formatSize }),
  listen: kind(parseListen, { show: (value) => value.map(formatListenAddress).join(',') }),
  baseUrl: kind(parseBaseUrl),
  serverUrl: urlKind(['http:', 'https:'], 'https://license.example.com'),
  databaseUrl: kind(parseDatabaseUrl),
  storageUrl: kind(parseStoragePlace),
  mailUrl: kind(parseMailUrl),
  backupPlace: kind(parseBackupPlace),
  schedule: kind(parseSchedule),
  recipients: kind(parseRecipients),
  publicKeys: kind(parsePublicKeys),
  keep: kind(parseKeep, { show: ({ daily, weekly, monthly }) => `${daily},${weekly},${monthly}` }),
  cidrs: kind(parseCidrs, { show: (value) => value.join(',') }),
  trust: kind(parseTrust, { show: (value) => (value === false ? 'none' : String(value)) }),
  timeZone: kind(parseTimeZone),
  slug: kind(parseSlug),
  mode: choice('production', 'development'),
  autoMigrate: kind(parseAutoMigrate),
  logLevel: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  logFormat: choice('auto', 'json', 'pretty'),
  limiterStore: choice('memory', 'postgres'),
  updateChannel: choice('stable', 'rc', 'beta', 'alpha', 'nightly'),
};

export type KindName = keyof typeof kinds;
export type KindValue<K extends KindName> = ReturnType<(typeof kinds)[K]['parse']>;
