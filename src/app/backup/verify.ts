import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock } from '#kernel/clock.ts';
import type { Keyring } from '#kernel/crypto.ts';
import { removeSteadily, writeSteadily } from '#kernel/steady-file.ts';
import {
  type ArchiveVisitor,
  type Header,
  isEncrypted,
  locked,
  type Manifest,
  type Opening,
  readArchive,
  requireFreeBytes,
  unseal,
  type WorkFolder,
} from '#platform/backup/index.ts';
import { checkImage, requireOwner } from './check-image.ts';
import { openImage } from './image.ts';
import { requireKnownSchema } from './schema-known.ts';

export interface VerifyOptions {
  readonly work: WorkFolder;
  readonly clock: Clock;
  /** Of the installation; null where it is not at hand. */
  readonly keyring: Keyring | null;
  /** Opens an encrypted archive; null without key or passphrase. */
  readonly opening: Opening | null;
  readonly onBytes?: (bytes: number) => void;
  /** Takes members beside the database. */
  readonly take?: ArchiveVisitor['take'];
}

/** An archive that was read from its first to its last byte. */
export interface Verified {
  readonly header: Header;
  readonly manifest: Manifest;
  readonly size: number;
  /** Of the file as it is, encrypted or not. */
  readonly sha256: string;
  /** The image of its database, in the work folder; `keepImage` leaves it there. */
  readonly image: string;
}

const NO_KEY =
  'give the key file of the public key it was encrypted to (--identity FILE), or its passphrase (--passphrase-file FILE)';

/**
 * Reads an archive as a restore does: every byte against its manifest, the image of the database unpacked into a scratch
 * place and examined there.
 *
 * @throws AppError VERIFICATION_FAILED, CONFLICT for a newer program's, UNAUTHORIZED for an encrypted one without its key
 */
export async function verifyArchive(
  source: AsyncIterable<Uint8Array>,
  options: VerifyOptions,
  { keepImage = false } = {},
): Promise<Verified> {
  const { work, clock, keyring } = options;
  const image = work.file('scratch.sqlite');
  await removeSteadily(image);
  const sum = createHash('sha256');
  let size = 0;
  const watched = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      sum.update(chunk);
      size += chunk.byteLength;
      options.onBytes?.(size);
      yield chunk;
    }
  };
  const visitor: ArchiveVisitor = {
    begins(header) {
      requireKnownSchema(header);
      requireFreeBytes(work.path, header.bytes, 'the verification');
    },
    async take(member, bytes) {
      if (member.member.kind !== 'database') return options.take?.(member, bytes);
      await writeSteadily(image, bytes);
    },
  };
  const { header, manifest } = await readArchive(await opened(watched(), options.opening), visitor);
  const database = await openImage(image);
  try {
    const ofKey = keyring?.keyId === manifest.masterKeyId ? keyring : null;
    await checkImage(database, { tables: manifest.tables, clock, keyring: ofKey });
    await requireOwner(database, manifest, 'backup');
  } finally {
    await database.close();
  }
  if (!keepImage) await removeImage(image);
  return { header, manifest, size, sha256: sum.digest('hex'), image };
}

async function removeImage(image: string): Promise<void> {
  for (const ending of ['', '-wal', '-shm', '-journal']) await removeSteadily(image + ending);
}

/** Looks at the beginning, and decrypts where that is needed. */
async function opened(
  source: AsyncGenerator<Uint8Array>,
  opening: Opening | null,
): Promise<AsyncIterable<Uint8Array>> {
  const first = await source.next();
  const head = first.done ? new Uint8Array() : first.value;
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    yield head;
    yield* source;
  };
  if (!isEncrypted(head)) return whole();
  if (opening === null) throw locked('the backup is encrypted', NO_KEY);
  return unseal(Readable.from(whole()), opening);
}
