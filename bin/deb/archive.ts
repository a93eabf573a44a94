// The form of a Debian package: an ar archive of two tar archives (deb(5)).

import { type TarEntry, tarOf } from '../tar.ts';
import { gzipped } from '../tarball.ts';

/** A file of a package, by its path from the root of the machine. */
export interface PackagedFile {
  /** Without the slash at its beginning. */
  readonly path: string;
  readonly mode: number;
  readonly bytes: Buffer;
  /** The operator may change it: dpkg asks before it replaces such a file. */
  readonly isConfiguration?: true;
}

/**
 * @param control files that dpkg itself reads
 * @param contents files of the machine
 * @param seconds time of all of them
 */
export function archiveOf(
  control: readonly PackagedFile[],
  contents: readonly PackagedFile[],
  seconds: number,
): Buffer {
  const members = [
    ['debian-binary', Buffer.from('2.0\n')],
    ['control.tar.gz', gzipped(tarOf(inFolders(control), seconds))],
    ['data.tar.gz', gzipped(tarOf(inFolders(contents), seconds))],
  ] as const;
  return Buffer.concat([
    Buffer.from('!<arch>\n'),
    ...members.flatMap(([name, bytes]) => [memberHeader(name, bytes.length, seconds), bytes, padding(bytes)]),
  ]);
}

/** Members begin at even places. */
const padding = (bytes: Buffer): Buffer => Buffer.from(bytes.length % 2 === 0 ? '' : '\n');

function memberHeader(name: string, size: number, seconds: number): Buffer {
  const field = (value: string | number, width: number): string => String(value).padEnd(width);
  return Buffer.from(
    `${field(name, 16)}${field(seconds, 12)}${field(0, 6)}${field(0, 6)}${field('100644', 8)}${field(size, 10)}\`\n`,
  );
}

/** dpkg wants every folder before what is in it. */
function inFolders(files: readonly PackagedFile[]): TarEntry[] {
  const folders = new Set<string>(['./']);
  for (const { path } of files) {
    const parts = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth++) folders.add(`./${parts.slice(0, depth).join('/')}/`);
  }
  const entries = [
    ...[...folders].map((path) => ({ path, mode: 0o755, bytes: Buffer.alloc(0) })),
    ...files.map(({ path, mode, bytes }) => ({ path: `./${path}`, mode, bytes })),
  ];
  return entries.sort((one, other) => (one.path < other.path ? -1 : 1));
}
