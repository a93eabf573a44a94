// Archives as somebody makes them who knows the format: everything in them fits, except what was altered.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { MEMBERS } from '#platform/backup/index.ts';

const TRAILER_BYTES = 40;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes);

/** What is altered. */
export interface Alteration {
  /** Of what the first and the last member both say. */
  readonly origin?: object;
  /** Members that come before the last one. */
  readonly more?: Readonly<Record<string, Uint8Array>>;
}

/** Writes an archive as it would be, had the program made it so. */
export async function alterArchive(
  file: string,
  target: string,
  { origin = {}, more = {} }: Alteration,
): Promise<void> {
  const members = new Map<string, Buffer>();
  const unpack = extract();
  Readable.from([zstdDecompressSync(readFileSync(file).subarray(0, -TRAILER_BYTES))]).pipe(
    unpack as unknown as NodeJS.WritableStream,
  );
  for await (const entry of unpack) {
    const parts: Buffer[] = [];
    for await (const part of entry) parts.push(Buffer.from(part as Uint8Array));
    members.set(entry.header.name, Buffer.concat(parts));
  }
  const said = (name: string) => JSON.parse(String(members.get(name)));
  const header = { ...said(MEMBERS.header), ...origin };
  const last = { ...said(MEMBERS.manifest), ...origin };
  members.delete(MEMBERS.manifest);
  for (const [name, bytes] of Object.entries(more)) {
    members.set(name, Buffer.from(bytes));
    header.members += 1;
    header.bytes += bytes.byteLength;
  }
  members.set(MEMBERS.header, Buffer.from(JSON.stringify(header)));
  const files = Object.fromEntries(
    [...members].map(([name, bytes]) => [name, { size: bytes.length, sha256: sha256(bytes).digest('hex') }]),
  );
  members.set(MEMBERS.manifest, Buffer.from(JSON.stringify({ ...last, files })));
  const tar = pack();
  const packed: Buffer[] = [];
  const done = (async () => {
    for await (const part of tar) packed.push(Buffer.from(part as Uint8Array));
  })();
  for (const [name, bytes] of members) tar.entry({ name }, bytes);
  tar.finalize();
  await done;
  const body = zstdCompressSync(Buffer.concat(packed));
  const trailer = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
  writeFileSync(target, Buffer.concat([body, trailer, sha256(body).digest()]));
}
