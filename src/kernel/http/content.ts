/** Bytes that answer a request instead of JSON: a download (licensing D92). */
export interface Content {
  /** Content-Type. */
  readonly type: string;
  /** Bytes of the whole. */
  readonly size: number;
  /** Strong, in quotes. */
  readonly etag: string;
  /** Further headers; their values are encoded already. They describe the whole, also when a part is sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes from `start` up to and including `end`; a chunk is good until the next one is asked for. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  /** Called once, whatever became of the answer. */
  close(): Promise<void>;
  /** Told when the first byte of the whole is about to be sent, not for HEAD, 304 or a later part. */
  begun?(): void;
}
