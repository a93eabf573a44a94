import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { UnreadableBody } from './body.ts';

/** A file that is being received. */
export interface Upload {
  /** Its last part only, as the form calls it; null outside of a form. It is the client's word: judge it before use. */
  readonly filename: string | null;
  /**
   * Its bytes, once. It ends when the whole request was read and held what it should; otherwise it throws what the
   * surface answers with 400 or 413, and what was received is to be thrown away.
   */
  readonly stream: AsyncIterable<Uint8Array>;
  /** Texts of the form beside it, as far as they have come: all of them once the stream has ended. */
  readonly fields?: ReadonlyMap<string, string>;
}

/** Of a client that sends nothing; how long the whole takes depends on its line (M17). */
const STALLED_MS = 20_000;
/** One that has fallen silent gets its answer, and is not waited for any longer. */
const LAST_WORD_MS = 1000;
/** The answer is given before the rest of the body has come: for so long it is read and thrown away. */
const REST_MS = 10_000;
/** What a form may add to its file: boundaries and headers. */
const FORM_BYTES = 65_536;
/** Others would need decoding, which no client has used since forms became binary. */
const PLAIN_ENCODINGS: readonly string[] = ['7bit', '8bit', 'binary'];

/**
 * Begins to receive the file of a request: its body of type application/octet-stream, or the only part of a form of
 * type multipart/form-data. Nothing is kept in memory: bytes are taken from the connection as the stream is read.
 *
 * @param maxBytes of the file
 * @param fields texts that a form may hold beside it
 * @throws UnreadableBody for another type, a form without a file, or a body that announces too much
 */
export async function openUpload(req: IncomingMessage, maxBytes: number, fields = 0): Promise<Upload> {
  const { headers } = req;
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const isForm = type === 'multipart/form-data';
  if (!isForm && type !== 'application/octet-stream')
    throw new UnreadableBody('Content-Type must be application/octet-stream or multipart/form-data');
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw new UnreadableBody('Content-Encoding is not supported for files');
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0')
    throw new UnreadableBody('the body is empty: it must be the file');
  if (Number(headers['content-length']) > maxBytes + (isForm ? FORM_BYTES : 0)) throw tooLarge(maxBytes);
  if (isForm) return await openForm(req, maxBytes, fields);
  return { filename: null, stream: boundedPart(req, req, maxBytes), fields: new Map() };
}

/** After the answer: what the client still sends is thrown away, so that it gets to read why. Not for ever. */
export function dropRest(req: IncomingMessage): void {
  if (req.complete || req.destroyed) return;
  req.unpipe();
  req.resume();
  const timer = setTimeout(() => req.destroy(), silent.has(req) ? LAST_WORD_MS : REST_MS).unref();
  req.once('close', () => clearTimeout(timer));
}

const tooLarge = (maxBytes: number): UnreadableBody =>
  new UnreadableBody(`the file is larger than ${maxBytes} bytes`, 413);

/** Of whatever a stream failed with. A client that goes away ends it with ECONNRESET. */
export function unreadable(cause: unknown): UnreadableBody {
  if (cause instanceof UnreadableBody) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  return new UnreadableBody(
    code === 'ECONNRESET' ? 'the body ended early' : `the body cannot be read: ${message}`,
  );
}

/** @param encoding of a part of a form. @throws UnreadableBody for one whose bytes would have to be decoded */
export function requirePlain(encoding: string): void {
  if (!PLAIN_ENCODINGS.includes(encoding))
    throw new UnreadableBody(`Content-Transfer-Encoding ${encoding} is not supported`);
}

/** Requests whose client fell silent. */
const silent = new WeakSet<IncomingMessage>();

/** Waits for what the client has to send; one that falls silent is told so. */
export async function inTime<T>(req: IncomingMessage, arrival: Promise<T>): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    silent.add(req);
    reject(new UnreadableBody(`no bytes of the file arrived for ${STALLED_MS / 1000} seconds`));
  }, STALLED_MS);
  try {
    return await Promise.race([arrival, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Bytes of a body or of its part, at most `maxBytes`, from a client that does not fall silent. */
export async function* boundedPart(
  req: IncomingMessage,
  source: Readable,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  // A refusal has to be answered: leaving the loop must not end the connection.
  const chunks = source.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
  let size = 0;
  try {
    for (;;) {
      // Only while it is the client's turn: writing what came may take as long as the disk likes.
      const next = await inTime(req, chunks.next());
      if (next.done) break;
      size += next.value.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield next.value;
    }
  } catch (cause) {
    throw unreadable(cause);
  } finally {
    const left = chunks.return?.();
    // The iterator of one that fell silent still waits for the next bytes; it ends with the connection.
    if (silent.has(req)) left?.catch(() => undefined);
    else await left;
  }
}

/** Reads a form up to its file. */
async function openForm(req: IncomingMessage, maxBytes: number, mostFields: number): Promise<Upload> {
  const form = parserOf(req, mostFields);
  const fields = new Map<string, string>();
  form.on('field', (name, value) => fields.set(name, value));
  let fault: UnreadableBody | null = null;
  const ended = new Promise<void>((resolve) => form.once('close', resolve));
  const found = new Promise<{ file: Readable; info: busboy.FileInfo }>((resolve) => {
    form.once('file', (_name, file, info) => {
      // It fails together with the form; whoever reads it is told, and nobody else must be.
      file.on('error', () => undefined);
      resolve({ file, info });
    });
  });
  // The parser does not always end itself when it reports an error.
  form.on('error', (cause) => {
    fault ??= unreadable(cause);
    form.destroy(fault);
  });
  const oneFile = (): void => {
    form.destroy(new UnreadableBody(oneFileWords(mostFields)));
  };
  form.on('filesLimit', oneFile).on('fieldsLimit', oneFile);
  // A connection that breaks does not end what its body is piped into.
  req.once('close', () => {
    if (!req.complete) form.destroy(new UnreadableBody('the body ended early'));
  });
  req.pipe(form);
  const first = await inTime(req, Promise.race([found, ended]));
  if (!first) throw fault ?? new UnreadableBody('the form contains no file');
  const { file, info } = first;
  requirePlain(info.encoding);
  const wholeForm = async function* (): AsyncGenerator<Uint8Array> {
    yield* boundedPart(req, file, maxBytes);
    // What comes after the file decides whether it was the only part.
    await inTime(req, ended);
    if (fault) throw fault;
  };
  return { filename: info.filename ?? null, stream: wholeForm(), fields };
}

const oneFileWords = (fields: number): string =>
  `the form must contain exactly one file and ${fields === 0 ? 'nothing else' : `at most ${fields} other fields`}`;

/** Of a text beside the file. */
const FIELD_BYTES = 1000;

function parserOf(req: IncomingMessage, fields: number): busboy.Busboy {
  try {
    const limits = { files: 1, fields, fieldSize: FIELD_BYTES, fieldNameSize: 100 };
    return busboy({ headers: req.headers, limits, defParamCharset: 'utf8' });
  } catch (cause) {
    throw unreadable(cause);
  }
}
