import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { UnreadableBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { addField, CSRF_FIELD, type FormFields, LONGEST_NAME, MOST_FIELDS } from './form-fields.ts';
import { baseName, discardFiles, type FileRule, type SentFiles, type StagedFile } from './form-files.ts';
import { boundedPart, inTime, requirePlain, unreadable } from './upload.ts';
import type { Visitor } from './visitor.ts';

/** A form as it was sent: its fields, and its files, which wait in the storage for whoever keeps them. */
export interface SentForm {
  readonly fields: FormFields;
  readonly files: SentFiles;
}

/** What a form may hold. */
export interface FormBounds {
  readonly maxBytes: number;
  readonly files: Readonly<Record<string, FileRule>>;
}

/** A file that has begun to arrive. */
interface Arriving {
  readonly field: string;
  readonly stream: Readable;
  readonly info: busboy.FileInfo;
}

/** What a form may add to its files and fields: boundaries and headers. */
const FRAME_BYTES = 65_536;

/**
 * Reads a form with files, one file at a time into the storage. The token is the first part, or a header: nothing is
 * written before it was judged (M16). When anything is wrong, what was written is thrown away.
 *
 * @param presented token in the header; undefined when it is the first part
 * @throws UnreadableBody, also with 413; what the visitor throws
 */
export async function readMultipart(
  exchange: Exchange,
  bounds: FormBounds,
  visitor: Visitor,
  presented: string | undefined,
): Promise<SentForm> {
  const { req } = exchange;
  const most = mostBytes(exchange, bounds);
  if (Number(req.headers['content-length']) > most) throw tooLarge(most);
  if (presented !== undefined) visitor.requireCsrf(presented);
  const parts = new FormParts(exchange, bounds, presented === undefined ? visitor : null, most);
  const files: Record<string, StagedFile[]> = Object.create(null);
  for (const name of Object.keys(bounds.files)) files[name] = [];
  try {
    for (;;) {
      const arriving = await inTime(req, parts.next());
      if (!arriving) return { fields: parts.fields, files };
      await takeFile(exchange, bounds, files, arriving);
    }
  } catch (cause) {
    const fault = parts.stop();
    await discardFiles(files);
    throw fault ?? cause;
  }
}

async function takeFile(
  { req, ctx }: Exchange,
  bounds: FormBounds,
  files: Record<string, StagedFile[]>,
  { field, stream, info }: Arriving,
): Promise<void> {
  const rule = Object.hasOwn(bounds.files, field) ? bounds.files[field] : undefined;
  const list = files[field];
  if (!rule || !list) throw new UnreadableBody(`the form has no file field ${JSON.stringify(field)}`);
  if (info.filename === undefined) {
    // A field that nobody chose a file for comes as an empty part without a name.
    for await (const _ of boundedPart(req, stream, 0));
    return;
  }
  if (list.length >= rule.maxCount)
    throw new UnreadableBody(`the field ${field} takes at most ${rule.maxCount} files`);
  const maxBytes = rule.maxBytes(ctx);
  const filename = baseName(info.filename);
  const read: Uint8Array[] = [];
  const bytes = boundedPart(req, stream, maxBytes);
  const object = await ctx.storage.stage(rule.isText ? noting(bytes, read) : bytes, maxBytes);
  const file = { filename, claimedType: info.mimeType, object };
  // It is in the list before its text is judged: what is refused is thrown away.
  list.push({ ...file, text: null });
  if (rule.isText) list.splice(-1, 1, { ...file, text: textOf(filename, Buffer.concat(read)) });
}

/** @param read is given each chunk that passes */
async function* noting(bytes: AsyncIterable<Uint8Array>, read: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    read.push(Uint8Array.from(chunk));
    yield chunk;
  }
}

function textOf(filename: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new UnreadableBody(`${JSON.stringify(filename)} is not a text file in UTF-8`);
}

/** What the whole of a form may take. */
function mostBytes({ ctx }: Exchange, { maxBytes, files }: FormBounds): number {
  let most = maxBytes + FRAME_BYTES;
  for (const rule of Object.values(files)) most += rule.maxCount * rule.maxBytes(ctx);
  return most;
}

const tooLarge = (most: number): UnreadableBody =>
  new UnreadableBody(`the form is larger than ${most} bytes`, 413);

/** The parts of a form as they arrive. The first fault counts, and those that follow from it do not. */
class FormParts {
  readonly fields = new Map<string, string[]>();
  readonly #req: Exchange['req'];
  readonly #form: busboy.Busboy;
  readonly #maxBytes: number;
  readonly #waiting: Arriving[] = [];
  /** Whose token the first part is; null when it was judged. */
  #unjudged: Visitor | null;
  #fieldBytes = 0;
  #fault: unknown;
  #isOver = false;
  #wake: () => void = () => undefined;

  /**
   * @param visitor whose token is the first part; null when it was judged already
   * @param most bytes of the whole, of which what stands between and beside the parts is counted nowhere else
   */
  constructor({ req }: Exchange, bounds: FormBounds, visitor: Visitor | null, most: number) {
    const form = parserOf(req.headers, bounds);
    this.#req = req;
    this.#form = form;
    this.#maxBytes = bounds.maxBytes;
    this.#unjudged = visitor;
    // Its types do not say that a part without a name, or with an unknown charset, leaves these undefined.
    form.on('field', (name: string | undefined, value: string | undefined, info) =>
      this.#judge(() => this.#takeField(name, value, info)),
    );
    form.on('file', (field: string | undefined, stream, info) => this.#takeFile(field, stream, info));
    form.on('filesLimit', () => this.#end(new UnreadableBody('the form contains too many files')));
    form.on('fieldsLimit', () =>
      this.#end(new UnreadableBody(`the form has more than ${MOST_FIELDS} fields`)),
    );
    form.on('error', (cause) => this.#end(unreadable(cause)));
    form.once('close', () => this.#end());
    // A connection that breaks does not end what its body is piped into.
    req.once('close', () => {
      if (!req.complete) this.#end(new UnreadableBody('the body ended early'));
    });
    let taken = 0;
    req.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      if (taken > most) this.#end(tooLarge(most));
    });
    req.pipe(form);
  }

  /** @returns the next file, or null when the whole form has come; rejects with what is wrong */
  async next(): Promise<Arriving | null> {
    while (this.#fault === undefined && this.#waiting.length === 0 && !this.#isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    if (this.#fault !== undefined) throw this.#fault;
    const arriving = this.#waiting.shift();
    if (arriving) return arriving;
    // A form without any part has no token either.
    this.#unjudged?.requireCsrf(undefined);
    return null;
  }

  /** Reads no further. @returns what was wrong first, so far as the form itself is at fault */
  stop(): unknown {
    this.#req.unpipe(this.#form);
    for (const { stream } of this.#waiting) stream.destroy();
    this.#form.destroy();
    return this.#fault;
  }

  #takeField(name: string | undefined, value: string | undefined, info: busboy.FieldInfo): void {
    this.#requireToken(name === CSRF_FIELD ? value : undefined);
    this.#fieldBytes += value?.length ?? 0;
    if (info.nameTruncated) throw new UnreadableBody('the name of a field is too long');
    if (info.valueTruncated || this.#fieldBytes > this.#maxBytes)
      throw new UnreadableBody(`the fields of the form are larger than ${this.#maxBytes} bytes`, 413);
    requirePlain(info.encoding);
    addField(this.fields, named(name), strictText(value));
  }

  #takeFile(field: string | undefined, stream: Readable, info: busboy.FileInfo): void {
    // It fails together with the form; whoever reads it is told, and nobody else must be.
    stream.on('error', () => undefined);
    this.#judge(() => {
      this.#requireToken(undefined);
      requirePlain(info.encoding);
      this.#waiting.push({ field: named(field), stream, info });
    });
    if (this.#fault !== undefined) stream.resume();
    else this.#wake();
  }

  #requireToken(presented: string | undefined): void {
    this.#unjudged?.requireCsrf(presented);
    this.#unjudged = null;
  }

  /** What breaks in a part ends the form at once: nothing behind it is looked at. */
  #judge(work: () => void): void {
    if (this.#fault !== undefined) return;
    try {
      work();
    } catch (cause) {
      this.#end(cause);
    }
  }

  #end(cause?: unknown): void {
    this.#isOver = true;
    if (this.#fault === undefined && cause !== undefined) {
      this.#fault = cause;
      // Whoever waits for the next bytes of a file hears of it.
      this.#form.destroy(cause instanceof Error ? cause : undefined);
    }
    this.#wake();
  }
}

function named(name: string | undefined): string {
  if (name === undefined) throw new UnreadableBody('a part of the form has no name');
  return name;
}

/**
 * @param value of a field, a character for each byte, so that what is not UTF-8 is refused and not replaced; other
 *   characters, or none at all, where the part named a charset and was decoded by that
 */
function strictText(value: string | undefined): string {
  if (value === undefined || /[^\0-\xff]/.test(value))
    throw new UnreadableBody('the fields of the form must be UTF-8 and must not name a charset');
  const bytes = Buffer.from(value, 'latin1');
  if (!isUtf8(bytes)) throw new UnreadableBody('the form is not valid UTF-8');
  return bytes.toString('utf8');
}

function parserOf(headers: Exchange['req']['headers'], bounds: FormBounds): busboy.Busboy {
  const files = Object.values(bounds.files).reduce((sum, { maxCount }) => sum + maxCount + 1, 0);
  try {
    return busboy({
      headers,
      limits: {
        files,
        fields: MOST_FIELDS,
        fieldNameSize: LONGEST_NAME,
        fieldSize: bounds.maxBytes,
        headerPairs: 20,
      },
      defParamCharset: 'utf8',
      // Read as bytes: see strictText.
      defCharset: 'latin1',
    });
  } catch (cause) {
    throw unreadable(cause);
  }
}
