import { createHash } from 'node:crypto';
import { AppError } from '#kernel/errors.ts';
import type { ExportView } from '#licensing/moving/transfers/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, verificationError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { untilEnded } from './wait.ts';

/** What `POST /exports` takes. */
export interface ExportAsked {
  readonly entities?: readonly string[];
  readonly format: 'csv' | 'jsonl';
  readonly filter?: { readonly since: string };
  readonly includeKeys?: boolean;
  readonly allTenants?: boolean;
}

/** An export whose file is whole. */
export type Fetched = ExportView & { readonly file: NonNullable<ExportView['file']> };

/**
 * Has a server write an export, hands its text over as it arrives, and has the server delete it, whatever becomes of it.
 *
 * @param work must read the text to its end
 * @throws AppError of a task that was cancelled; CliError 1 for one that failed, 6 for bytes that arrived otherwise
 */
export async function withFetched(
  cli: Cli,
  desk: Desk,
  asked: ExportAsked,
  work: (done: Fetched, texts: AsyncIterable<string>) => Promise<void>,
): Promise<void> {
  const { export: begun } = await desk.post<{ export: ExportView }>('exports', asked);
  const path = at`exports/${begun.id}`;
  const look = async () => (await desk.get<{ export: ExportView }>(path)).export;
  const done = requireFile(await untilEnded(cli, begun, look));
  try {
    await desk.download(`${path}/file`, undefined, ({ chunks }) => work(done, textsOf(chunks, done.file)));
  } finally {
    // Nobody else needs it, and the server deletes it in any case after its time.
    await desk.delete(path).catch(() => undefined);
  }
}

function requireFile(done: ExportView): Fetched {
  const { id, state, file, error } = done;
  if (file !== null) return { ...done, file };
  if (state === 'CANCELLED')
    throw new AppError('CONFLICT', 409, error ?? `export ${id} was canceled`, {
      details: { reason: 'CANCELLED', hint: 'run the command again' },
    });
  throw new CliError(exits.unexpected, 'EXPORT_FAILED', `the server could not write the export: ${error}`, {
    hint: 'run the command again',
  });
}

/** @throws CliError 6 at the end of bytes that are not those that the server wrote */
async function* textsOf(
  chunks: AsyncIterable<Uint8Array>,
  { size, sha256 }: Fetched['file'],
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const hash = createHash('sha256');
  let received = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    received += chunk.byteLength;
    yield decoder.decode(chunk, { stream: true });
  }
  if (received !== size || hash.digest('hex') !== sha256)
    throw verificationError('the export arrived damaged', 'run the command again');
}
