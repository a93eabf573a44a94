// Requests to a server under test: as clients send them, and as only an attacker would.
import { Agent, type IncomingHttpHeaders, request as openRequest } from 'node:http';
import { connect } from 'node:net';

/** An answer with its body read. */
export type HttpReply = {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body as text. */
  text: string;
  /** The body as JSON; an empty object when it is none. */
  body: Answer;
};

/** JSON of any shape, so that a test may name the part it judges: `body.license?.key`. */
export interface Answer {
  readonly [name: string]: Answer;
}

export type Sent = {
  method?: string;
  /** Sent as X-API-Key. */
  key?: string | undefined;
  /** Objects are sent as JSON with its content type, texts and bytes as they are. */
  body?: unknown;
  headers?: Record<string, string>;
};

/** What a raw connection gave back. */
export type RawReply = { text: string; status: number | null; closed: boolean };

export type HttpClient = {
  send(path: string, sent?: Sent): Promise<HttpReply>;
  /** Writes bytes to a new connection and reads until the server closes it or has sent one whole answer. */
  raw(bytes: string | Uint8Array): Promise<RawReply>;
  close(): void;
};

/** @param origin `http://127.0.0.1:PORT` */
export function openHttpClient(origin: string): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const { hostname, port } = new URL(origin);
  const send = (path: string, { method, key, body, headers = {} }: Sent = {}): Promise<HttpReply> => {
    const payload = payloadOf(body);
    const isJson = body !== undefined && typeof body === 'object' && !(body instanceof Uint8Array);
    const all = {
      ...(isJson && { 'Content-Type': 'application/json' }),
      ...(key !== undefined && { 'X-API-Key': key }),
      ...(payload && { 'Content-Length': String(payload.length) }),
      ...headers,
    };
    const verb = method ?? (payload ? 'POST' : 'GET');
    return new Promise((resolve, reject) => {
      // `path` goes out as it is: URL would tidy up what a test wants to send.
      const request = openRequest({ agent, hostname, port, path, method: verb, headers: all });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const { statusCode = 0, headers: received } = response;
          const reply = { status: statusCode, headers: received, text, body: parsed(text) };
          judged(verb, path, reply).then(resolve, reject);
        });
      });
      request.end(payload);
    });
  };
  return { send, raw: (bytes) => exchangeRaw(hostname, Number(port), bytes), close: () => agent.destroy() };
}

const STORE_API = /^\/api(-docs\.json$|\/(shop|store)\/)/;

/** A success of the shop's API is what its operation declares: whoever asks for it in a test finds out. */
async function judged(method: string, path: string, reply: HttpReply): Promise<HttpReply> {
  const isSuccess = reply.status >= 200 && reply.status < 300;
  if (isSuccess && STORE_API.test(path)) {
    const { judgeStoreAnswer } = await import('./store-answers.ts');
    await judgeStoreAnswer({ method, path, ...reply });
  }
  return reply;
}

function payloadOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function parsed(text: string): Answer {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Whether an answer is whole and its connection stays open: there is nothing more to wait for. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end + 2);
  if (end < 0 || /^connection: close\r$/im.test(head)) return false;
  if (/^transfer-encoding: chunked\r$/im.test(head)) return text.endsWith('\r\n0\r\n\r\n');
  const length = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? 0);
  return text.length >= end + 4 + length;
}

function exchangeRaw(host: string, port: number, bytes: string | Uint8Array): Promise<RawReply> {
  return new Promise((resolve) => {
    let text = '';
    const done = (closed: boolean): void => {
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      resolve({ text, status: status === undefined ? null : Number(status), closed });
    };
    const socket = connect(port, host, () => socket.write(bytes));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      if (isWhole(text)) done(false);
    });
    // The server may close while the client still writes: what it said before counts.
    socket.on('error', () => undefined);
    socket.on('close', () => done(true));
  });
}
