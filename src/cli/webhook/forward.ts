import type { IncomingHttpHeaders } from 'node:http';

/** What a request is answered with. */
export interface Answer {
  status: number;
  type: string;
  body: Buffer;
  /** Told to the person when the other end could not be reached. */
  problem?: string;
}

const PATIENCE_MS = 10_000;
/** An answer without end would fill the memory within the ten seconds. */
const MOST_BYTES = 1_048_576;
/** They belong to one connection, not to the request. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Passes a request on, byte for byte, and gives the answer; 502 when there is none within 10 s, or one of more than
 * 1 MiB.
 */
export async function forward(to: URL, headers: IncomingHttpHeaders, raw: Buffer): Promise<Answer> {
  const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    OF_THE_CONNECTION.has(name) || typeof value !== 'string' ? [] : [[name, value]],
  );
  try {
    const answer = await fetch(to, {
      method: 'POST',
      headers: passed,
      body: new Uint8Array(raw),
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const type = answer.headers.get('content-type') ?? 'text/plain';
    return { status: answer.status, type, body: await readWhole(answer) };
  } catch (error) {
    const problem = `no answer from ${to.href} was passed on: ${reasonOf(error)}`;
    return { ...json(502, { error: problem }), problem };
  }
}

async function readWhole(answer: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error(`its answer has more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** An answer of this program's own. */
export const json = (status: number, value: object): Answer => ({
  status,
  type: 'application/json',
  body: Buffer.from(JSON.stringify(value)),
});

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  const { cause } = error as Error;
  return cause instanceof Error ? cause.message || cause.name : (error as Error).message;
}
