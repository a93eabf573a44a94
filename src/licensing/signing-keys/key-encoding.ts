import { argon2, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import * as ed25519 from '#kernel/ed25519.ts';
import { fail } from '../errors.ts';

/** A passphrase and the words that tell its source: `empty passphrase from --passphrase-env RELEASE_PASS`. */
export interface Passphrase {
  readonly value: string;
  readonly tried: string;
}

/** Called only for an encrypted key; null means that no source holds a passphrase. */
export type AskPassphrase = () => Promise<Passphrase | null>;

/** An opened private key: 32-byte seed, and whether it was stored encrypted. */
export interface PrivateKey {
  readonly seed: Buffer;
  readonly encrypted: boolean;
}

/** What is stated about a key beside its bytes. `createdAt` is ISO 8601 UTC. */
export interface KeyNotes {
  readonly comment: string | null;
  readonly createdAt: string;
}

/**
 * Cost of a new file: 12 MiB, because signing may hold 64 MiB in all (cli C6), and twice the passes that are
 * recommended for so much memory. Readers take the parameters from the file, within the bounds of the schema.
 */
const KDF_COST = { memoryKib: 12_288, passes: 6, parallelism: 1 };

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
  const { keyId, publicKey, comment, createdAt, kdf } = file;
  const cost = [kdf.memoryKib, kdf.passes, kdf.parallelism, kdf.salt.toString('base64')];
  return Buffer.from(
    JSON.stringify(['appctl-private-key', 1, keyId, publicKey.toString('base64'), comment, createdAt, cost]),
  );
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
  if (passphrase === null) return ed25519.privateKeyToPem(seed);
  const { publicKey, keyId } = ed25519.signingKeyOf(seed);
  const kdf = { name: 'argon2id' as const, ...KDF_COST, salt: randomBytes(16) };
  const head = {
    kind: 'appctl-private-key',
    version: 1,
    algorithm: 'ed25519',
    keyId,
    publicKey,
    ...notes,
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
 * Opens the text of a private key: the JSON of encodePrivateKey, a PKCS#8 PEM (encrypted or not),
 * or a raw seed as 64 hex or 44 base64 characters.
 *
 * @param ask called once, and only when the key is encrypted
 * @throws AppError INVALID_KEY when it is no private key, UNAUTHORIZED when the passphrase is missing or wrong
 */
export async function decodePrivateKey(text: string, ask: AskPassphrase): Promise<PrivateKey> {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) return openEncrypted(parseEncrypted(trimmed), await demand(ask));
  if (trimmed.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----'))
    return openEncryptedPem(trimmed, await demand(ask));
  try {
    if (trimmed.includes('-----BEGIN')) return { seed: ed25519.privateKeyFromPem(trimmed), encrypted: false };
    const seed = /^[0-9a-f]{64}$/i.test(trimmed)
      ? ed25519.decodeHex(trimmed, ed25519.SEED_BYTES)
      : ed25519.decodeBase64(trimmed, ed25519.SEED_BYTES);
    return { seed, encrypted: false };
  } catch {
    throw fail(
      'INVALID_KEY',
      'not a private key: expected PKCS#8 PEM, a key file of appctl, or a 32-byte seed',
    );
  }
}

/** The public key that an encrypted key file states, without opening it; null when the text is no such file. */
export function statedPublicKey(text: string): Buffer | null {
  return text.trim().startsWith('{') ? parseEncrypted(text).publicKey : null;
}

function parseEncrypted(text: string): EncryptedKeyFile {
  try {
    return EncryptedKeyFile.parse(JSON.parse(text));
  } catch {
    throw fail('INVALID_KEY', 'not a private key file of appctl, or a damaged one');
  }
}

async function demand(ask: AskPassphrase): Promise<Passphrase> {
  const passphrase = await ask();
  if (passphrase === null) {
    throw fail('UNAUTHORIZED', 'the key is encrypted and no passphrase was given', {
      details: { reason: 'PASSPHRASE_MISSING' },
    });
  }
  return passphrase;
}

async function openEncrypted(file: EncryptedKeyFile, passphrase: Passphrase): Promise<PrivateKey> {
  const { cipher, kdf, ciphertext } = file;
  const decipher = createDecipheriv('aes-256-gcm', await deriveKey(passphrase.value, kdf), cipher.iv, {
    authTagLength: 16,
  });
  decipher.setAAD(associatedData(file)).setAuthTag(cipher.tag);
  try {
    const seed = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    if (ed25519.signingKeyOf(seed).publicKey.equals(file.publicKey)) return { seed, encrypted: true };
  } catch {
    throw wrongPassphrase(passphrase);
  }
  throw fail('INVALID_KEY', 'the private key does not belong to the public key in its file');
}

function openEncryptedPem(text: string, passphrase: Passphrase): PrivateKey {
  try {
    return { seed: ed25519.privateKeyFromPem(text, passphrase.value), encrypted: true };
  } catch {
    throw wrongPassphrase(passphrase);
  }
}

function wrongPassphrase({ tried }: Passphrase) {
  return fail('UNAUTHORIZED', `the passphrase does not open the key (tried: ${tried})`, {
    details: { reason: 'WRONG_PASSPHRASE', tried },
  });
}
