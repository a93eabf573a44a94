// Archives in the form of POSIX ustar, with the same bytes for the same entries on every machine and at every time.

const BLOCK = 512;
/** Where a header holds its checksum, which counts as blanks while it is computed. */
const [CHECKSUM_AT, CHECKSUM_LENGTH] = [148, 8];
const LONGEST_PATH = 100;

/** A file or a folder; all belong to root. */
export interface TarEntry {
  /** Of at most 100 bytes; that of a folder ends with a slash. */
  readonly path: string;
  readonly mode: number;
  /** Empty for a folder. */
  readonly bytes: Buffer;
}

/** @param modified Unix seconds, the same for all */
export function tarOf(entries: readonly TarEntry[], modified: number): Buffer {
  const parts = entries.flatMap((entry) => [headerOf(entry, modified), padded(entry.bytes)]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);

function headerOf({ path, mode, bytes }: TarEntry, modified: number): Buffer {
  if (Buffer.byteLength(path) > LONGEST_PATH) throw new RangeError(`${path} is too long for an archive`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  header.write(path, 0);
  header.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  header.write(`${octal(bytes.length, 11)}\0${octal(modified, 11)}\0`, 124);
  header.fill(' ', CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_LENGTH);
  header.write(path.endsWith('/') ? '5' : '0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, CHECKSUM_AT);
  return header;
}
