import { argon2, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import * as ed25519 from '#kernel/ed25519.ts';
import { fail } from '../errors.ts';
import { isMinisignSecret, minisignText, openMinisignSecret } from './minisign-key.ts';
import { type AskPassphrase, demandPassphrase, type Passphrase, wrongPassphrase } from './passphrase.ts';
import type { KeyNotes, PrivateKey } from './private-key.ts';

/**
 * Cost of a new file: 12 MiB, because signing may hold 64 MiB in all (cli C6), and twice the passes that are
 * recommended for so much memory. Readers take the parameters from the file, within the bounds of the schema.
 */
const KDF_COST = { memoryKib: 12_288, passes: 6, parallelism: 1 };

/** Stands before the block of a PEM file, where every reader ignores it. */
const PEM_MINISIGN = 'minisign key id: ';
const MINISIGN_LINE = /^minisign key id: ([0-9A-F]{16})$/m;

/** Base64 of exactly so many bytes. */
const bytes = (length: number) =>
  z.pipe(
    z.string(),
    z.transform((text, issues) => {
      try {
        return ed25519.decodeBase64(text, length);
      } catch {
        issues.issues.push({ code: 'custom', message: `expected ${length} bytes in base64`, input: text });
        return z.NEVER;
      }
    }),
  );
const within = (min: number, max: number) => z.int().check(z.minimum(min), z.maximum(max));

/**
 * The bounds keep a foreign file from asking for hours or for all memory. All forms on the way of an offline command
 * are written in zod/mini: whole zod would cost it 15 MB and 30 ms (cli C6 and 9).
 */
const EncryptedKeyFile = z.strictObject({
  kind: z.literal('appctl-private-key'),
  version: z.literal(1),
  algorithm: z.literal('ed25519'),
  keyId: z.string(),
  publicKey: bytes(ed25519.PUBLIC_KEY_BYTES),
  comment: z.nullable(z.string().check(z.maxLength(1000))),
  createdAt: z.string(),
  minisignId: z.optional(z.string().check(z.regex(/^[0-9A-F]{16}$/))),
  kdf: z.strictObject({
    name: z.literal('argon2id'),
    memoryKib: within(8192, 262_144),
    passes: within(1, 16),
    parallelism: within(1, 8),
    salt: bytes(16),
  }),
  cipher: z.strictObject({ name: z.literal('aes-256-gcm'), iv: bytes(12), tag: bytes(16) }),
  ciphertext: bytes(ed25519.SEED_BYTES),
});
type EncryptedKeyFile = z.infer<typeof EncryptedKeyFile>;

/** Everything in the file that the cipher does not cover is bound to it as associated data. */
function associatedData(file: Omit<EncryptedKeyFile, 'cipher' | 'ciphertext'>): Buffer {
  const { keyId, publicKey, comment, createdAt, minisignId, kdf } = file;
  const cost = [kdf.memoryKib, kdf.passes, kdf.parallelism, kdf.salt.toString('base64')];
  const stated: unknown[] = [
    'appctl-private-key',
    1,
    keyId,
    publicKey.toString('base64'),
    comment,
    createdAt,
    cost,
  ];
  // Only imported keys state it; files without it must still open.
  if (minisignId !== undefined) stated.push(minisignId);
  return Buffer.from(JSON.stringify(stated));
}

function deriveKey(passphrase: string, kdf: EncryptedKeyFile['kdf']): Promise<Buffer> {
  const { memoryKib: memory, passes, parallelism, salt: nonce } = kdf;
  return new Promise((resolve, reject) => {
    argon2(
      'argon2id',
      { message: passphrase, nonce, parallelism, tagLength: 32, memory, passes },
      (error, key) => (error ? reject(error) : resolve(key)),
    );
  });
}

/**
 * The text of a private key file (cli 3.4): PKCS#8 PEM without a passphrase, otherwise JSON that holds the seed
 * under AES-256-GCM with a key from argon2id.
 *
 * @param seed 32 raw bytes
 * @param passphrase null stores the key in the clear; the empty text is a passphrase
 */
export async function encodePrivateKey(
  seed: Buffer,
  passphrase: Passphrase | null,
  notes: KeyNotes,
): Promise<string> {
  const { minisignId = null, comment, createdAt } = notes;
  if (passphrase === null) {
    const pem = ed25519.privateKeyToPem(seed);
    return minisignId === null ? pem : `${PEM_MINISIGN}${minisignId}\n${pem}`;
  }
  const { publicKey, keyId } = ed25519.signingKeyOf(seed);
  const kdf = { name: 'argon2id' as const, ...KDF_COST, salt: randomBytes(16) };
  const head = {
    kind: 'appctl-private-key',
    version: 1,
    algorithm: 'ed25519',
    keyId,
    publicKey,
    comment,
    createdAt,
    ...(minisignId !== null && { minisignId }),
    kdf,
  } as const;
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', await deriveKey(passphrase.value, kdf), iv);
  cipher.setAAD(associatedData(head));
  const ciphertext = Buffer.concat([cipher.update(seed), cipher.final()]);
  const file = {
    ...head,
    publicKey: publicKey.toString('base64'),
    kdf: { ...kdf, salt: kdf.salt.toString('base64') },
    cipher: { name: 'aes-256-gcm', iv: iv.toString('base64'), tag: cipher.getAuthTag().toString('base64') },
    ciphertext: ciphertext.toString('base64'),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/**
 * Opens the text of a private key: the JSON of encodePrivateKey, a PKCS#8 PEM (encrypted or not), a raw seed as 64 hex
 * or 44 base64 characters, or a minisign secret key that is not encrypted.
 *
 * @param ask called once, and only when the key is encrypted
 * @throws AppError INVALID_KEY when it is no private key, UNAUTHORIZED when the passphrase is missing or wrong
 */
export async function decodePrivateKey(text: string, ask: AskPassphrase): Promise<PrivateKey> {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) return openEncrypted(parseEncrypted(trimmed), await demandPassphrase(ask));
  if (isMinisignSecret(trimmed)) return openMinisignSecret(minisignText(trimmed) ?? '', refuseToOpen);
  const minisignId = MINISIGN_LINE.exec(trimmed)?.[1] ?? null;
  const notes = { comment: null, createdAt: null, minisignId };
  if (trimmed.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----')) {
    return { ...openEncryptedPem(trimmed, await demandPassphrase(ask)), ...notes };
  }
  return { seed: plainSeed(trimmed), encrypted: false, ...notes };
}

/**
 * Opens a private key that comes from elsewhere: what decodePrivateKey takes, and minisign or Tauri secret keys under a
 * passphrase, which cost 1 GiB of memory and seconds.
 *
 * @param ask called once, and only when the key is encrypted
 * @throws AppError INVALID_KEY, UNAUTHORIZED
 */
export async function decodeForeignKey(text: string, ask: AskPassphrase): Promise<PrivateKey> {
  return isMinisignSecret(text)
    ? openMinisignSecret(minisignText(text) ?? '', ask)
    : decodePrivateKey(text, ask);
}

/** Signing may hold 64 MiB and must refuse a wrong passphrase within two seconds (cli C6). */
async function refuseToOpen(): Promise<never> {
  throw fail(
    'INVALID_KEY',
    'the key is encrypted by minisign, which needs 1 GiB of memory to open: import it once',
    {
      details: { hint: 'appctl keys import FILE --product SLUG --out NEW.key' },
    },
  );
}

function plainSeed(text: string): Buffer {
  try {
    if (text.includes('-----BEGIN')) return ed25519.privateKeyFromPem(text);
    return /^[0-9a-f]{64}$/i.test(text)
      ? ed25519.decodeHex(text, ed25519.SEED_BYTES)
      : ed25519.decodeBase64(text, ed25519.SEED_BYTES);
  } catch {
    throw fail(
      'INVALID_KEY',
      'not a private key: expected PKCS#8 PEM, an appctl key file, a 32-byte seed or a minisign secret key',
    );
  }
}

/** Whether a text is a private key by its form. A bare seed is not: it looks like a bare public key. */
export const looksPrivate = (text: string): boolean =>
  /PRIVATE KEY-----|"kind":\s*"appctl-private-key"/.test(text) || isMinisignSecret(text);

/** The public key that an encrypted key file states, without opening it; null when the text is no such file. */
export function statedPublicKey(text: string): Buffer | null {
  return text.trim().startsWith('{') ? parseEncrypted(text).publicKey : null;
}

function parseEncrypted(text: string): EncryptedKeyFile {
  try {
    return EncryptedKeyFile.parse(JSON.parse(text));
  } catch {
    throw fail('INVALID_KEY', 'not an appctl private key file, or a damaged one');
  }
}

async function openEncrypted(file: EncryptedKeyFile, passphrase: Passphrase): Promise<PrivateKey> {
  const { cipher, kdf, ciphertext, comment, createdAt, minisignId = null } = file;
  const decipher = createDecipheriv('aes-256-gcm', await deriveKey(passphrase.value, kdf), cipher.iv, {
    authTagLength: 16,
  });
  decipher.setAAD(associatedData(file)).setAuthTag(cipher.tag);
  try {
    const seed = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    if (ed25519.signingKeyOf(seed).publicKey.equals(file.publicKey))
      return { seed, encrypted: true, comment, createdAt, minisignId };
  } catch {
    throw wrongPassphrase(passphrase);
  }
  throw fail('INVALID_KEY', 'the private key does not belong to the public key in its file');
}

function openEncryptedPem(text: string, passphrase: Passphrase): Pick<PrivateKey, 'seed' | 'encrypted'> {
  try {
    return { seed: ed25519.privateKeyFromPem(text, passphrase.value), encrypted: true };
  } catch {
    throw wrongPassphrase(passphrase);
  }
}
