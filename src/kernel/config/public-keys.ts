import { InvalidValue } from './errors.ts';

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
