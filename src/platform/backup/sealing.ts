import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { AppError } from '#kernel/errors.ts';
import { damaged, locked } from './faults.ts';

/** To whom an archive is encrypted, in the format of age: whoever has the age tool opens it too. */
export type Sealing = { readonly recipients: readonly string[] } | { readonly passphrase: string };

/** What opens an archive. */
export interface Opening {
  /** Texts `AGE-SECRET-KEY-1…`. */
  readonly identities: readonly string[];
  readonly passphrase: string | null;
  /** For errors: `passphrase from --passphrase-file FILE`. */
  readonly tried: string;
}

/** Loaded by whoever encrypts. */
const load = () => import('age-encryption');

const MAGIC = 'age-encryption.org/v1';

/** Whether a file begins as an encrypted one does. @param head its first bytes */
export const isEncrypted = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(0, MAGIC.length)).toString('latin1') === MAGIC;

/** @throws AppError VALIDATION_ERROR for a text that is no public key of age */
export async function requireRecipients(recipients: readonly string[]): Promise<void> {
  for (const one of recipients) {
    const { Encrypter } = await load();
    try {
      new Encrypter().addRecipient(one);
    } catch {
      const isSecret = one.toUpperCase().startsWith('AGE-SECRET-KEY');
      const shown = isSecret ? 'a private key' : `"${one.slice(0, 80)}"`;
      throw new AppError('VALIDATION_ERROR', 400, `${shown} is not a public key to encrypt to`, {
        details: {
          hint: 'use the text that begins with age1; appctl backup keygen --out FILE creates a key',
        },
      });
    }
  }
}

/** A new private key with its public one. */
export async function newIdentity(): Promise<{ identity: string; recipient: string }> {
  // Not the hybrid one, which older age tools do not read.
  const { generateX25519Identity, identityToRecipient } = await load();
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** The private keys in the text of a file that `age-keygen` or `backup keygen` wrote. */
export const identitiesIn = (text: string): string[] => text.match(/AGE-SECRET-KEY-[A-Z0-9-]+/g) ?? [];

async function encrypterOf(sealing: Sealing) {
  const { Encrypter } = await load();
  const encrypter = new Encrypter();
  if ('passphrase' in sealing) encrypter.setPassphrase(sealing.passphrase);
  else for (const one of sealing.recipients) encrypter.addRecipient(one);
  return encrypter;
}

/** Encrypts bytes as they come. */
export async function seal(source: Readable, sealing: Sealing): Promise<Readable> {
  const encrypter = await encrypterOf(sealing);
  const web = Readable.toWeb(source) as unknown as globalThis.ReadableStream<Uint8Array>;
  return Readable.fromWeb((await encrypter.encrypt(web)) as unknown as ReadableStream);
}

/** Encrypts a short text. */
export const sealText = async (text: string, sealing: Sealing): Promise<Uint8Array> =>
  (await encrypterOf(sealing)).encrypt(text);

async function decrypterOf({ identities, passphrase }: Opening) {
  const { Decrypter } = await load();
  const decrypter = new Decrypter();
  for (const one of identities) decrypter.addIdentity(one);
  if (passphrase !== null) decrypter.addPassphrase(passphrase);
  return decrypter;
}

/**
 * Decrypts bytes as they come; what comes out was found genuine.
 *
 * @throws AppError UNAUTHORIZED (4) for a key that does not open it, VERIFICATION_FAILED (6) for bytes that were altered;
 *   what the source throws
 */
export async function unseal(source: Readable, opening: Opening): Promise<Readable> {
  const decrypter = await decrypterOf(opening);
  const failures: unknown[] = [];
  const watched = Readable.from(noting(withShortHeader(source), failures));
  const web = Readable.toWeb(watched) as unknown as globalThis.ReadableStream<Uint8Array>;
  const opened = await decrypter.decrypt(web).catch((error: unknown) => {
    throw failures.length > 0 ? failures[0] : refusal(error, opening);
  });
  return Readable.from(genuine(Readable.fromWeb(opened as unknown as ReadableStream), failures));
}

/** Decrypts a short text. @throws as `unseal` */
export async function unsealText(sealed: Uint8Array, opening: Opening): Promise<string> {
  if (sealed.length > MOST_HEADER_BYTES && !holdsHeader(sealed)) throw endlessHeader();
  const decrypter = await decrypterOf(opening);
  return decrypter.decrypt(sealed, 'text').catch((error: unknown) => {
    throw refusal(error, opening);
  });
}

/** Room for hundreds of recipients. */
const MOST_HEADER_BYTES = 65_536;

/** Whether the header of an encrypted file ends near its beginning: its last line begins with three dashes. */
function holdsHeader(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, MOST_HEADER_BYTES));
  const last = head.indexOf('\n--- ');
  return last >= 0 && head.includes('\n', last + 1);
}

const endlessHeader = (): Error => damaged('the encrypted backup was altered: its header has no end');

/** What decrypts keeps all of the header in memory, however long it is. */
async function* withShortHeader(source: Readable): AsyncGenerator<Uint8Array> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (holdsHeader(head)) {
      yield head;
      head = null;
    } else if (head.length >= MOST_HEADER_BYTES) throw endlessHeader();
  }
  if (head !== null && head.length > 0) yield head;
}

/** A disk or connection that fails has altered nothing. */
async function* noting(source: AsyncIterable<Uint8Array>, failures: unknown[]): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    failures.push(error);
    throw error;
  }
}

async function* genuine(source: Readable, failures: readonly unknown[]): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch {
    if (failures.length > 0) throw failures[0];
    throw damaged('the encrypted backup was altered or is incomplete');
  }
}

function refusal(error: unknown, { tried }: Opening): Error {
  const message = error instanceof Error ? error.message : String(error);
  if (!/no identity matched|passphrase|identity/i.test(message))
    return damaged(`the encrypted backup was altered or is incomplete (${message})`);
  return locked(
    `the backup is encrypted, and what was given does not open it (tried: ${tried})`,
    'use the key file of the public key it was encrypted to (--identity FILE), or its passphrase (--passphrase-file FILE)',
  );
}
