import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import type { Extract } from 'tar-stream';
import type { z } from 'zod';
import type { Files } from './archive-writer.ts';
import { damaged, foreign, newerProgram } from './faults.ts';
import { FORMAT, Header, Manifest } from './manifest.ts';
import { MEMBERS, type Member, memberOf } from './names.ts';
import { withoutTrailer } from './trailer.ts';

/** A member while it is read. */
export interface ReadMember {
  readonly name: string;
  readonly member: Member;
  readonly size: number;
}

/** What somebody who reads an archive does with it. */
export interface ArchiveVisitor {
  /** Told of the beginning before anything else is read. What it throws ends the reading. */
  begins?(header: Header): Promise<void> | void;
  /** Takes the bytes of a member; those that it does not read are only hashed. */
  take?(member: ReadMember, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Told how many bytes of the file were read. */
  onBytes?(bytes: number): void;
}

type Source = Extract extends AsyncIterable<infer One> ? One : never;

const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const MOST_HEADER_BYTES = 65_536;
const MOST_MANIFEST_BYTES = 256 * 1024 ** 2;
/** No database and no picture becomes so much smaller: what does is made to fill a disk. */
const MOST_RATIO = 1000;
const FREE_BYTES = 64 * 1024 ** 2;

/** What the first and the last member both say. */
const ORIGIN = [
  'v',
  'version',
  'schemaVersion',
  'createdAt',
  'installation',
  'masterKeyId',
  'database',
] as const;

const TYPES: Readonly<Record<string, string>> = {
  symlink: 'a symbolic link',
  link: 'a link',
  'character-device': 'a device',
  'block-device': 'a device',
  fifo: 'a named pipe',
  directory: 'a folder',
};

/**
 * Reads an archive from its first to its last byte and compares every member with what its manifest says. No name in it
 * is trusted: members are told by exact patterns, and nothing else is taken.
 *
 * @param source of an archive that is not encrypted
 * @throws AppError VERIFICATION_FAILED for one that is foreign, damaged, cut off or made to do harm; CONFLICT for a newer
 *   format; what the visitor throws
 */
export async function readArchive(
  source: AsyncIterable<Uint8Array>,
  visitor: ArchiveVisitor,
): Promise<{ header: Header; manifest: Manifest }> {
  const { extract } = await import('tar-stream');
  const unpack = extract();
  const reading = new Reading(visitor);
  const unpacked = createZstdDecompress();
  // It may fail once more when nobody listens any longer, and would end the process.
  unpacked.on('error', () => undefined);
  const flowing = pipeline(
    Readable.from(reading.measured(source)),
    unpacked,
    (chunks: AsyncIterable<Uint8Array>) => reading.bounded(chunks),
    unpack as unknown as NodeJS.WritableStream,
  );
  flowing.catch(() => undefined);
  try {
    for await (const entry of unpack) await reading.entry(entry);
    await flowing;
    return reading.end();
  } catch (error) {
    unpack.destroy();
    // What ended the flow is the cause of what was seen here.
    const cause = await flowing.then(
      () => error,
      (first: unknown) => (reading.isOwn(error) ? error : first),
    );
    throw reading.explained(reading.isOwn(error) ? error : cause);
  }
}

/** One walk through an archive. */
class Reading {
  readonly #visitor: ArchiveVisitor;
  readonly #files: Files = {};
  readonly #own = new Set<unknown>();
  #header: Header | null = null;
  #manifest: Manifest | null = null;
  #bytes = 0;
  #members = 0;
  #compressed = 0;

  constructor(visitor: ArchiveVisitor) {
    this.#visitor = visitor;
  }

  /** Whether an error says all that has to be said. */
  isOwn(error: unknown): boolean {
    return this.#own.has(error) || (error as { code?: unknown })?.code === 'VERIFICATION_FAILED';
  }

  explained(error: unknown): unknown {
    if (this.isOwn(error)) return error;
    if (this.#header === null)
      return foreign('the file is not a backup of appctl, or its beginning was altered');
    return damaged(`the backup was altered or is incomplete (${(error as Error).message})`);
  }

  async *measured(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let isFirst = true;
    const watched = async function* (this: Reading): AsyncGenerator<Uint8Array> {
      const bytes = source[Symbol.asyncIterator]();
      for (;;) {
        const next = await this.#noting(() => bytes.next());
        if (next.done) return;
        this.#compressed += next.value.byteLength;
        this.#visitor.onBytes?.(this.#compressed);
        yield next.value;
      }
    }.bind(this);
    for await (const chunk of withoutTrailer(watched())) {
      if (isFirst && !Buffer.from(chunk.subarray(0, 4)).equals(ZSTD))
        throw foreign('the file is not a backup of appctl');
      isFirst = false;
      yield chunk;
    }
    if (isFirst) throw foreign('the file is not a backup of appctl: it is too short');
  }

  async *bounded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let unpacked = 0;
    for await (const chunk of chunks) {
      unpacked += chunk.byteLength;
      if (unpacked > FREE_BYTES + this.#compressed * MOST_RATIO)
        throw damaged('the backup unpacks to far more than any real one');
      yield chunk;
    }
  }

  async entry(entry: Source): Promise<void> {
    const { name, type, size } = entry.header;
    const shown = JSON.stringify(name.slice(0, 100));
    if (this.#header === null && name !== MEMBERS.header)
      throw foreign('the file is not a backup of appctl: its first member is another one');
    if (this.#manifest !== null) throw damaged(`the backup goes on after its manifest, with ${shown}`);
    const member = type === 'file' || type === 'contiguous-file' ? memberOf(name) : null;
    if (member === null) {
      const what =
        type === 'file'
          ? `${shown}, which does not belong into a backup`
          : `${TYPES[type] ?? 'a member of unknown type'}: ${shown}`;
      throw damaged(`the backup contains ${what}`);
    }
    if (name in this.#files) throw damaged(`the backup contains ${shown} twice`);
    this.#count(size, member);
    if (member.kind === 'header') await this.#begin(entry);
    else if (member.kind === 'manifest') await this.#finish(entry);
    else this.#files[name] = await this.#pass(entry, { name, member, size });
  }

  #count(size: number, { kind }: Member): void {
    if (this.#header === null || kind === 'manifest') return;
    this.#bytes += size;
    this.#members += 1;
    if (this.#bytes > this.#header.bytes || this.#members > this.#header.members)
      throw damaged('the backup contains more than its beginning says');
  }

  async #begin(entry: Source): Promise<void> {
    const { text, file } = await textOf(entry, MOST_HEADER_BYTES);
    const header = parsed(Header, text);
    if (header === null) throw foreign('the file is not a backup of appctl: its beginning cannot be read');
    await this.#noting(async () => {
      requireFormat(header);
      await this.#visitor.begins?.(header);
    });
    this.#header = header;
    this.#files[MEMBERS.header] = file;
  }

  async #finish(entry: Source): Promise<void> {
    const { text } = await textOf(entry, MOST_MANIFEST_BYTES);
    this.#manifest = parsed(Manifest, text);
    if (this.#manifest === null) throw damaged('the manifest of the backup cannot be read');
  }

  async #pass(entry: Source, read: ReadMember): Promise<Files[string]> {
    const sha256 = createHash('sha256');
    let size = 0;
    const bytes = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of entry as AsyncIterable<Uint8Array>) {
        sha256.update(chunk);
        size += chunk.byteLength;
        yield chunk;
      }
    };
    const stream = bytes();
    await this.#taken(read, stream);
    for await (const _ of stream);
    return { size, sha256: sha256.digest('hex') };
  }

  /** What the archive itself throws is told from what its taker does. */
  async #taken(read: ReadMember, stream: AsyncGenerator<Uint8Array>): Promise<void> {
    let ofArchive: unknown;
    const told = async function* (): AsyncGenerator<Uint8Array> {
      try {
        // Not delegated: a taker that stops early must leave the rest to be read.
        for (let next = await stream.next(); !next.done; next = await stream.next()) yield next.value;
      } catch (error) {
        ofArchive = error;
        throw error;
      }
    };
    try {
      await this.#visitor.take?.(read, told());
    } catch (error) {
      if (error !== ofArchive) this.#own.add(error);
      throw error;
    }
  }

  async #noting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#own.add(error);
      throw error;
    }
  }

  /** @throws AppError VERIFICATION_FAILED when the members are not exactly those of the manifest */
  end(): { header: Header; manifest: Manifest } {
    const [header, manifest] = [this.#header, this.#manifest];
    if (header === null) throw foreign('the file is not a backup of appctl');
    if (manifest === null) throw damaged('the backup is incomplete: it has no manifest');
    const other = ORIGIN.find((key) => manifest[key] !== header[key]);
    if (other !== undefined)
      throw damaged(`the manifest of the backup has another ${other} than its beginning`);
    for (const [name, { size, sha256 }] of Object.entries(manifest.files)) {
      const found = this.#files[name];
      if (!found) throw damaged(`the backup lacks ${JSON.stringify(name)}, which its manifest names`);
      if (found.size !== size || found.sha256 !== sha256)
        throw damaged(`${JSON.stringify(name)} in the backup is not what its manifest says`);
    }
    const more = Object.keys(this.#files).find((name) => !(name in manifest.files));
    if (more !== undefined) throw damaged(`the manifest of the backup does not name ${JSON.stringify(more)}`);
    return { header, manifest };
  }
}

function requireFormat({ v, version }: Header): void {
  if (v <= FORMAT) return;
  throw newerProgram(version);
}

async function textOf(entry: Source, most: number): Promise<{ text: string; file: Files[string] }> {
  const { name, size } = entry.header;
  if (size > most) throw damaged(`${name} in the backup is too large`);
  const bytes = await buffer(entry as AsyncIterable<Uint8Array>);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { text: bytes.toString('utf8'), file: { size: bytes.length, sha256 } };
}

function parsed<S extends z.ZodType>(schema: S, text: string): z.output<S> | null {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
