// Archives that are damaged or made to do harm, from one that is sound.
import { createHash } from 'node:crypto';
import { closeSync, copyFileSync, openSync, readSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { zstdCompressSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Random } from './random.ts';

/** A file that no reader may take. */
export interface Trick {
  readonly name: string;
  readonly file: string;
  /** Codes that a command may end with. */
  readonly codes: readonly number[];
}

const FIRST = {
  kind: 'appctl-backup',
  v: 1,
  members: 10,
  bytes: 10 ** 9,
  version: '0.1.0',
  schemaVersion: '',
  createdAt: '2026-01-05T03:15:00.000Z',
  installation: null,
  masterKeyId: null,
  database: 'sqlite',
};
const TRAILER_BYTES = 40;

interface Member {
  readonly name: string;
  readonly text?: string;
  readonly type?: 'file' | 'symlink' | 'link';
  readonly linkname?: string;
}

/** One byte is another: at the start, at the end, in the checksum, and at so many places that chance chooses. */
export function flipped(archive: string, size: number, places: number, random: Random): Trick[] {
  const chosen = Array.from({ length: places }, () => random.below(size));
  return [0, 5, size - TRAILER_BYTES + 2, size - 1, ...chosen].map((at, i) => {
    const file = `${archive}.flip-${i}`;
    copyFileSync(archive, file);
    const opened = openSync(file, 'r+');
    const byte = Buffer.alloc(1);
    readSync(opened, byte, 0, 1, at);
    writeSync(opened, Buffer.from([(byte[0] ?? 0) ^ (1 << random.below(8))]), 0, 1, at);
    closeSync(opened);
    return { name: `byte ${at} of ${size}`, file, codes: [6] };
  });
}

/** The end is missing. */
export const cutOff = (archive: string, size: number): Trick[] =>
  [0, 100, Math.floor(size / 2), size - TRAILER_BYTES, size - 1].map((length) => {
    const file = `${archive}.cut-${length}`;
    copyFileSync(archive, file);
    truncateSync(file, length);
    return { name: `the first ${length} of ${size} bytes`, file, codes: [6] };
  });

/** Names, links and sizes that no backup has, and what another program made. */
export async function hostile(folder: string): Promise<Trick[]> {
  const first = { name: 'appctl-backup.json', text: JSON.stringify(FIRST) };
  const newer = { ...first, text: JSON.stringify({ ...FIRST, v: 2, version: '99.0.0' }) };
  const unknown = { ...first, text: JSON.stringify({ ...FIRST, schemaVersion: '9999-of-tomorrow' }) };
  const database = 'database.sqlite';
  const link = { name: database, type: 'symlink', linkname: '/etc/passwd' } as const;
  const cases: readonly (readonly [string, readonly Member[], number])[] = [
    ['a path upward', [first, { name: '../planted', text: 'x' }], 6],
    ['an absolute path', [first, { name: join(folder, 'planted'), text: 'x' }], 6],
    ['a path upward in a storage', [first, { name: 'bundles/../../planted', text: 'x' }], 6],
    ['a symbolic link', [first, link, { name: database, text: 'x' }], 6],
    ['a hard link', [first, { ...link, type: 'link' }], 6],
    ['a member twice', [first, { name: database, text: 'x' }, { name: database, text: 'y' }], 6],
    ['a bomb', [first, { name: database, text: '\0'.repeat(300 * 1024 ** 2) }], 6],
    ['no manifest', [first, { name: database, text: 'x' }], 6],
    ['another archive', [{ name: 'README', text: 'x' }], 6],
    ['a newer format', [newer], 5],
    ['a newer schema', [unknown], 5],
  ];
  const made: Trick[] = [];
  for (const [name, members, code] of cases) {
    const file = join(folder, `${name.replaceAll(' ', '-')}.tar.zst`);
    writeFileSync(file, await archiveOf(members));
    made.push({ name, file, codes: [code] });
  }
  return made;
}

/** As the program writes archives, with members of another's choice. */
async function archiveOf(members: readonly Member[]): Promise<Buffer> {
  const tar = pack();
  for (const { text = '', ...entry } of members) tar.entry(entry, text);
  tar.finalize();
  const body = zstdCompressSync(await buffer(tar));
  const head = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
  return Buffer.concat([body, head, createHash('sha256').update(body).digest()]);
}
