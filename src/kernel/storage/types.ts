/** An object that was opened once: everything that is read of it comes from the same bytes. */
export interface StoredObject {
  /** Bytes. */
  readonly size: number;
  /** Another text as soon as the bytes may be others: what was verified under one state holds as long as it is the same. */
  readonly state: string;
  /**
   * Bytes from `start` up to and including `end`. A chunk is good until the next one is asked for: its buffer is used
   * again.
   */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Bytes that were received and are safe on disk, but that nobody can open yet. */
export interface StagedObject {
  /** Bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Base64. */
  readonly sha512: string;
  /** File of this machine that holds them until they are kept or discarded. */
  readonly path: string;
  /**
   * Puts them into their place, which their digest names; bytes that are there already are replaced by equal ones.
   *
   * @param location another place, of a file that is made from other bytes (`partLocationOf`)
   */
  keep(location?: string): Promise<{ location: string }>;
  /** Throws them away; after `keep` it does nothing. */
  discard(): Promise<void>;
}

/** Where the bytes of bundles, or of pictures, are kept: a folder of this machine, or a bucket that several nodes share. */
export interface ObjectStorage {
  readonly kind: 'file' | 's3';
  /**
   * Receives bytes and hashes them on the way.
   *
   * @param maxBytes beyond it everything is thrown away
   * @param leaveBytes that must be free on the disk before the first byte is taken; without it what sales need, and 0
   *   for what the server itself has to finish
   * @throws TooLarge; StorageFailure, DiskFull above all; what the source throws
   */
  stage(source: AsyncIterable<Uint8Array>, maxBytes: number, leaveBytes?: number): Promise<StagedObject>;
  /**
   * @returns null when there is nothing, or no regular file, at the location
   * @throws StorageFailure when it cannot be asked
   */
  open(location: string): Promise<StoredObject | null>;
  /** @param olderThan only what nobody has written to since (Unix milliseconds) */
  remove(location: string, olderThan?: number): Promise<void>;
  /** Locations that nobody has written to since `olderThan` (Unix milliseconds). */
  list(olderThan: number): AsyncIterable<string>;
  /**
   * Every location, also of parts.
   *
   * @param olderThan only those that nobody has written to since (Unix milliseconds)
   */
  all(olderThan?: number): AsyncIterable<string>;
  /**
   * Throws away what was staged, has not been written to since `olderThan` (Unix milliseconds) and was neither kept nor
   * discarded: its process died.
   *
   * @returns how many
   */
  dropAbandoned(olderThan: number): Promise<number>;
  /** Proves that it can be written to and read from. Throws StorageFailure, in words for an operator. */
  probe(): Promise<void>;
}

/** More bytes came than may be kept. */
export class TooLarge extends Error {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`);
    this.name = 'TooLarge';
    this.maxBytes = maxBytes;
  }
}
