import { type SigningKey, signingKeyOf } from '#kernel/ed25519.ts';
import { fail } from '../errors.ts';
import { decodePrivateKey } from './key-encoding.ts';
import { readPrivateFile } from './key-file.ts';
import type { AskPassphrase } from './passphrase.ts';
import type { HeldKey } from './private-key.ts';

/** Where `--key` finds a private key (cli 3.4). Only `store` needs a database. */
export type KeyReference =
  | { kind: 'file'; path: string }
  | { kind: 'env'; name: string }
  | { kind: 'stdin' }
  | { kind: 'store'; keyId: string };

/** What the outside world hands to loadSigningKey. */
export interface KeySources {
  /** A variable of the environment, or undefined. */
  environment(name: string): string | undefined;
  /** All of standard input. */
  stdin(): Promise<string>;
  /** A server-held key. Throws AppError NOT_FOUND. */
  store(keyId: string): Promise<HeldKey>;
}

/** A private key ready to sign, and the id that minisign gave to it; null for a key that minisign did not make. */
export interface LoadedKey extends SigningKey {
  readonly minisignId: string | null;
}

/** A seed in hex or base64, or the text of a key file: an error that named it as a file would show it. */
const KEY_MATERIAL =
  /^[0-9a-f]{64}$|^[A-Za-z0-9+/]{43}=$|PRIVATE KEY-----|appctl-private-key|^untrusted comment:/i;

/**
 * Reads a REF: `FILE`, `env://VAR`, `stdin:` or `store:KEYID`.
 *
 * @throws AppError VALIDATION_ERROR for a form that is none of these, and for a key itself
 */
export function parseKeyReference(text: string): KeyReference {
  if (text === 'stdin:') return { kind: 'stdin' };
  if (text.startsWith('env:')) {
    const name = /^env:\/\/([A-Za-z_][A-Za-z0-9_]*)$/.exec(text)?.[1];
    if (name === undefined)
      throw fail('VALIDATION_ERROR', 'use env://VAR, with the name of an environment variable');
    return { kind: 'env', name };
  }
  if (text.startsWith('store:')) {
    const keyId = /^store:([0-9a-f]{16})$/.exec(text)?.[1];
    if (keyId === undefined) throw fail('VALIDATION_ERROR', 'use store:KEYID, with 16 hex characters');
    return { kind: 'store', keyId };
  }
  if (KEY_MATERIAL.test(text))
    throw fail('VALIDATION_ERROR', 'a key cannot be passed on the command line, which others can read', {
      details: { hint: 'write it to a file with mode 0600, or pass env://VAR or stdin:' },
    });
  if (text === '') throw fail('VALIDATION_ERROR', 'use FILE, env://VAR, stdin: or store:KEYID');
  return { kind: 'file', path: text };
}

/**
 * Opens the private key that a reference names. Nothing else is read before it, so that a wrong passphrase is told
 * at once, whatever the size of the bundle.
 *
 * @param ask called only when the key is encrypted
 * @throws AppError VALIDATION_ERROR, INVALID_KEY, UNAUTHORIZED (exposed file, missing or wrong passphrase), NOT_FOUND
 */
export async function loadSigningKey(
  reference: KeyReference,
  ask: AskPassphrase,
  sources: KeySources,
): Promise<LoadedKey> {
  const { seed, minisignId } =
    reference.kind === 'store'
      ? await sources.store(reference.keyId)
      : await decodePrivateKey(await readText(reference, sources), ask);
  return { ...signingKeyOf(seed), minisignId };
}

async function readText(
  reference: Exclude<KeyReference, { kind: 'store' }>,
  sources: KeySources,
): Promise<string> {
  if (reference.kind === 'file') return readPrivateFile(reference.path);
  if (reference.kind === 'stdin') return sources.stdin();
  const text = sources.environment(reference.name);
  if (text === undefined) throw fail('VALIDATION_ERROR', `the environment has no variable ${reference.name}`);
  return text;
}
