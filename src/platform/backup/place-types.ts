/** Something that lies in a place. */
export interface PlacedFile {
  readonly name: string;
  readonly sizeBytes: number;
  /** ISO. */
  readonly modifiedAt: string;
}

/** A file of this machine to put there. */
export interface LocalFile {
  readonly path: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Where backups are kept: a folder, or a bucket. Names may have slashes; they never begin with one. */
export interface BackupPlace {
  readonly kind: 'file' | 's3';
  /** For messages; without secrets. */
  readonly display: string;
  /** Puts a file there under a name that nobody sees before all of it is there. The local file may be gone then. */
  put(name: string, file: LocalFile): Promise<void>;
  /**
   * Keeps a name of a folder for whoever asks first, until the file that says so is removed; left behind it goes after a day.
   *
   * @returns the path of that file; null where another one has the name
   */
  claim?(name: string): Promise<string | null>;
  /** @param range first and last byte, both included. @returns null when there is nothing of that name */
  read(name: string, range?: readonly [number, number]): Promise<AsyncIterable<Uint8Array> | null>;
  /**
   * What lies there, in no order.
   *
   * @param prefix with which names begin, for example `stream/logs/`. What lies deeper may be listed, or may not
   */
  list(prefix?: string): AsyncIterable<PlacedFile>;
  /** What is not there is no matter. */
  remove(name: string): Promise<void>;
}
