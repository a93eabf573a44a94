import { styleText } from 'node:util';
import type { Environment } from '#kernel/environment.ts';

/** The three streams and the environment of one run. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Environment;
}

/** How the answer is written (cli.md section 1.4). */
export type OutputMode = 'human' | 'json' | 'plain' | 'csv';

/**
 * Says whether a stream gets color: off by --no-color, NO_COLOR, TERM=dumb or when it is no terminal;
 * FORCE_COLOR turns it on for a stream that is none.
 */
export function wantsColor(stream: { isTTY?: boolean }, env: Environment, noColorFlag: boolean): boolean {
  const isSet = (text: string | undefined) => text !== undefined && text !== '';
  if (noColorFlag || isSet(env.NO_COLOR) || env.TERM === 'dumb') return false;
  if (isSet(env.FORCE_COLOR)) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true;
}

export type Style = Parameters<typeof styleText>[0];
/** Writes a text in a style where the stream shows color, and as it is elsewhere. */
export type Paint = (style: Style, text: string) => string;

/** Makes the paint function of one stream. */
export function painter(stream: NodeJS.WriteStream, io: Io, noColor: boolean): Paint {
  if (!wantsColor(stream, io.env, noColor)) return (_style, text) => text;
  return (style, text) => styleText(style, text, { validateStream: false });
}

/** Waits until everything written to a stream has left this process. */
export function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write('', () => resolve());
  });
}

/** Reads stdin to its end as UTF-8 text. */
export async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
