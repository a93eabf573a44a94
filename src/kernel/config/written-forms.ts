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

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Words for the numbers from `least` on; the first three letters are enough. */
  readonly words: readonly string[];
  /** A form that only this field has, for example `L` for the last day of a month. */
  readonly own?: RegExp;
}

const FIELDS: readonly Field[] = [
  { name: 'minute', least: 0, most: 59, words: [] },
  { name: 'hour', least: 0, most: 23, words: [] },
  { name: 'day', least: 1, most: 31, words: [], own: /^(?:l|lw|(?:[1-9]|[12]\d|3[01])w)$/ },
  {
    name: 'month',
    least: 1,
    most: 12,
    words: 'january february march april may june july august september october november december'.split(' '),
  },
  {
    name: 'weekday',
    least: 0,
    most: 7,
    words: 'sunday monday tuesday wednesday thursday friday saturday'.split(' '),
    own: /^[0-7]l$/,
  },
];

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const SCHEDULE_HINT = 'write it as "30 3 * * *" (every day at 3:30) or "0 4 * * 0" (Sundays at 4:00), or off';

/**
 * Five fields of cron, or `off`. By the rules of the library that jobs use, which every command would wait for: what
 * passes here, it reads.
 *
 * @throws InvalidValue that names the field
 */
export function parseSchedule(text: string): string {
  if (text === 'off') return text;
  const parts = text.toLowerCase().split(' ');
  const refuse = (why: string): never => {
    throw new InvalidValue(`"${text}" is not a valid schedule: ${why}`, SCHEDULE_HINT);
  };
  if (parts.length !== FIELDS.length) refuse('it needs five fields: minute, hour, day, month, weekday');
  for (const [at, field] of FIELDS.entries()) {
    const part = parts[at] ?? '';
    if (!part.split(',').every((item) => isItem(field, item)))
      refuse(`${field.name} must be ${field.least} to ${field.most}, not ${part === '' ? 'empty' : part}`);
  }
  const [, , days = '', months = ''] = parts;
  if (neverComes(days, months)) refuse(`month ${months} has no day ${days}`);
  return text;
}

/** `*`, `5`, `1-5`, the last two with a step, or what only this field has. */
function isItem(field: Field, item: string): boolean {
  if (field.own?.test(item)) return true;
  const [range = '', step, ...rest] = item.split('/');
  const ends = range.split('-');
  const isRange = range === '*' || ends.length === 2;
  if (rest.length > 0 || (step !== undefined && !(isRange && /^[1-9]\d{0,2}$/.test(step)))) return false;
  return range === '*' || (ends.length <= 2 && ends.every((end) => numberOf(field, end) !== null));
}

function numberOf({ least, most, words }: Field, text: string): number | null {
  const word = words.findIndex((one) => one === text || one.slice(0, 3) === text);
  const number = /^\d{1,2}$/.test(text) ? Number(text) : word < 0 ? -1 : least + word;
  return number >= least && number <= most ? number : null;
}

/** Days that none of the months has, such as 30 February. */
function neverComes(days: string, months: string): boolean {
  if (!/^[\d,]+$/.test(days)) return false;
  const month = FIELDS[3] as Field;
  const wanted = months.split(',').map((one) => numberOf(month, one));
  const longest = Math.max(...wanted.map((one) => (one === null ? 31 : (LONGEST_MONTHS[one - 1] ?? 31))));
  return days.split(',').every((day) => Number(day) > longest);
}

const itemsOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Longer than any key that is shown in a message. */
const MOST_SHOWN = 80;
const shown = (text: string): string => `"${text.slice(0, MOST_SHOWN)}"`;

const RECIPIENT_HINT =
  'write the text that begins with age1; appctl backup keygen --out FILE creates a key and shows it';

/**
 * Public keys of age, separated by commas. Judged as the age library judges them, which takes a fifth of a second to load.
 *
 * @throws InvalidValue for a text that is none; a private key is not repeated
 */
export function parseRecipients(text: string): string {
  const keys = itemsOf(text);
  if (keys.length === 0) throw new InvalidValue(`${shown(text)} names no public key`, RECIPIENT_HINT);
  const wrong = keys.find((one) => !isRecipient(one));
  if (wrong === undefined) return text;
  const what = wrong.toUpperCase().startsWith('AGE-SECRET-KEY') ? 'a private key' : shown(wrong);
  throw new InvalidValue(`${what} is not a public key to encrypt to`, RECIPIENT_HINT);
}

/** Bytes of each kind: X25519, with a second algorithm beside it, of a hardware token, and both. */
const RECIPIENT_BYTES: ReadonlyMap<string, number> = new Map([
  ['age', 32],
  ['age1pq', 1216],
  ['age1tag', 33],
  ['age1tagpq', 1249],
]);

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CHECKSUM_LETTERS = 6;
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** Bech32 (BIP 173), of any length. */
function isRecipient(text: string): boolean {
  const at = text.lastIndexOf('1');
  const [prefix, body] = [text.slice(0, at), text.slice(at + 1)];
  const bytes = RECIPIENT_BYTES.get(prefix);
  const words = [...body].map((letter) => ALPHABET.indexOf(letter));
  if (bytes === undefined || words.includes(-1)) return false;
  const bits = (words.length - CHECKSUM_LETTERS) * 5;
  const last = words.at(-CHECKSUM_LETTERS - 1) ?? 0;
  const spare = bits - bytes * 8;
  const codes = [...prefix].map((letter) => letter.charCodeAt(0));
  const all = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...words];
  return spare >= 0 && spare < 5 && (last & ((1 << spare) - 1)) === 0 && checksumOf(all) === 1;
}

const checksumOf = (words: readonly number[]): number =>
  words.reduce((sum, word) => {
    const shifted = ((sum & 0x1ffffff) << 5) ^ word;
    return GENERATORS.reduce((all, one, at) => ((sum >>> (25 + at)) & 1 ? all ^ one : all), shifted);
  }, 1);

/**
 * Ed25519 public keys, separated by commas: base64 of the bytes or of the DER, or PEM on one line.
 *
 * @throws InvalidValue for a text that is none; what might be a private key is not repeated
 */
export function parsePublicKeys(text: string): string {
  const keys = itemsOf(text);
  const wrong = keys.find((one) => !isPublicKey(one));
  if (keys.length > 0 && wrong === undefined) return text;
  const what = wrong === undefined ? shown(text) : wrong.includes('PRIVATE') ? 'a private key' : shown(wrong);
  throw new InvalidValue(
    `${what} is not an Ed25519 public key`,
    'write the base64 text that the vendor of appctl publishes, 44 characters',
  );
}

const KEY_BYTES = 32;
/** DER header of RFC 8410. */
const SPKI_HEADER = '302a300506032b6570032100';

/**
 * By its form alone: whether the point is sound is judged where a signature is verified. `ed25519.ts` would load Node's
 * cryptography for every short command.
 */
function isPublicKey(text: string): boolean {
  const pem = /-----BEGIN PUBLIC KEY-----([^-]*)-----END PUBLIC KEY-----/.exec(text);
  const base64 = (pem?.[1] ?? text).replace(/\s/g, '');
  const bytes = Buffer.from(base64, 'base64');
  // Node skips what is no base64.
  if (bytes.toString('base64') !== base64) return false;
  const header = bytes.subarray(0, -KEY_BYTES).toString('hex');
  return bytes.length >= KEY_BYTES && (header === '' || header === SPKI_HEADER);
}
