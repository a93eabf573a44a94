import * as ed25519 from '#kernel/ed25519.ts';
import { fail } from '../errors.ts';
import { decodePrivateKey, looksPrivate, statedPublicKey } from './key-encoding.ts';
import { readPrivateFile, readSmallFile } from './key-file.ts';
import { parsePublicKeys } from './public-key-text.ts';

/**
 * The fingerprint of a key file, public or private. A private key that is encrypted in the form of appctl states its
 * public half, so no passphrase is asked for.
 *
 * @returns SHA-256 of the raw public key in hex, and its first 16 characters
 * @throws AppError VALIDATION_ERROR, INVALID_KEY, UNAUTHORIZED (a private key open to other users, or one under a
 *   passphrase that does not state its public half)
 */
export async function fingerprintFile(path: string): Promise<{ fingerprint: string; keyId: string }> {
  const text = await readSmallFile(path);
  if (text === null) throw fail('VALIDATION_ERROR', `file ${path} was not found`, { details: { path } });
  const publicKey = looksPrivate(text)
    ? await publicHalf(await readPrivateFile(path))
    : parsePublicKeys(text)[0];
  return { fingerprint: ed25519.fingerprintOf(publicKey), keyId: ed25519.keyIdOf(publicKey) };
}

async function publicHalf(text: string): Promise<Buffer> {
  const stated = statedPublicKey(text);
  if (stated !== null) return stated;
  const { seed } = await decodePrivateKey(text, refuseEncrypted);
  return ed25519.signingKeyOf(seed).publicKey;
}

async function refuseEncrypted(): Promise<never> {
  throw fail('UNAUTHORIZED', 'the key is encrypted, and its file does not include the public half', {
    details: { reason: 'KEY_ENCRYPTED', hint: 'appctl keys import FILE --product SLUG --out NEW.key' },
  });
}
