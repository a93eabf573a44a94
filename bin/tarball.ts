// Archives that npm installs, with the same bytes for the same files on every machine and at every time.
import { gzipSync } from 'node:zlib';
import { tarOf } from './tar.ts';

/** The time that `npm pack` gives every file, in Unix seconds. */
const MODIFIED = 499_162_500;
/** Where gzip names the system that packed it, and the value for "unknown". */
const [SYSTEM_AT, UNKNOWN_SYSTEM] = [9, 255];

/** @param files path of at most 100 bytes, and content */
export function tarball(files: readonly (readonly [path: string, bytes: Buffer])[]): Buffer {
  const sorted = [...files].sort(([one], [other]) => (one < other ? -1 : 1));
  return gzipped(
    tarOf(
      sorted.map(([path, bytes]) => ({ path, mode: 0o644, bytes })),
      MODIFIED,
    ),
  );
}

/** The same on every system. */
export function gzipped(bytes: Buffer): Buffer {
  const packed = gzipSync(bytes, { level: 9 });
  packed[SYSTEM_AT] = UNKNOWN_SYSTEM;
  return packed;
}
