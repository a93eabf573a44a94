// Archives that npm installs, with the same bytes for the same files on every machine and at every time.
import { gzipSync } from 'node:zlib';

const BLOCK = 512;
/** The time that `npm pack` gives every file, in Unix seconds. */
const MODIFIED = 499_162_500;
/** Where gzip names the system that packed it, and the value for "unknown". */
const [SYSTEM_AT, UNKNOWN_SYSTEM] = [9, 255];
/** Where a header of tar holds its checksum, which counts as blanks while it is computed (POSIX ustar). */
const [CHECKSUM_AT, CHECKSUM_LENGTH] = [148, 8];

/** @param files path of at most 100 bytes, and content */
export function tarball(files: readonly (readonly [path: string, bytes: Buffer])[]): Buffer {
  const sorted = [...files].sort(([one], [other]) => (one < other ? -1 : 1));
  const entries = sorted.flatMap(([path, bytes]) => [headerOf(path, bytes.length), padded(bytes)]);
  const packed = gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]), { level: 9 });
  packed[SYSTEM_AT] = UNKNOWN_SYSTEM;
  return packed;
}

const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);

function headerOf(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new RangeError(`${path} is too long for an archive`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  header.write(path, 0);
  header.write(`${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  header.write(`${octal(size, 11)}\0${octal(MODIFIED, 11)}\0`, 124);
  header.fill(' ', CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_LENGTH);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, CHECKSUM_AT);
  return header;
}
