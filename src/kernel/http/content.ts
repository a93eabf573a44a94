/** Bytes that answer a request instead of JSON: a download (licensing D92). */
export interface Content {
  /** Content-Type. */
  readonly type: string;
  /** Bytes of the whole; null where nobody knows before the end, and no part of it can be asked for. */
  readonly size: number | null;
  /** Strong, in quotes; null where the next answer may have other bytes. */
  readonly etag: string | null;
  /** Further headers; their values are encoded already. They describe the whole, also when a part is sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes from `start` up to and including `end`; a chunk is good until the next one is asked for. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  /** Called once, whatever became of the answer. */
  close(): Promise<void>;
  /** Milliseconds after which a client that takes nothing is given up; a minute when absent. */
  readonly stalledMs?: number;
  /** Told when the first byte of the whole is about to be sent, not for HEAD, 304 or a later part. */
  begun?(): void;
}

interface Described {
  readonly etag: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is in memory as content. */
export const bytesContent = (type: string, bytes: Buffer, { etag, headers = {} }: Described): Content => ({
  type,
  size: bytes.length,
  etag,
  headers,
  async *read(start, end) {
    yield bytes.subarray(start, end + 1);
  },
  close: async () => undefined,
});

/** A short text as content: a document that a foreign client reads, and whose form is therefore not this API's. */
export const textContent = (type: string, text: string, described: Described): Content =>
  bytesContent(type, Buffer.from(text), described);

/**
 * A file that is written while it is sent: an export.
 *
 * @param filename that a browser saves it under, of letters, digits, `-`, `_` and `.`
 */
export const streamContent = (
  type: string,
  filename: string,
  chunks: AsyncIterable<Uint8Array>,
): Content => ({
  type,
  size: null,
  etag: null,
  headers: { 'Content-Disposition': `attachment; filename="${filename}"` },
  read: () => chunks,
  close: async () => undefined,
});
