// What the stand-ins for payment processors share: a server on this machine, its switches, and answers that repeat.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the next charge, or the next call of another kind, meets. */
export type Switch =
  | 'decline'
  | 'require_action'
  /** The charge is not final yet. */
  | 'pending'
  /** No answer, nothing done; the connection stays open. */
  | 'hang'
  /** The connection breaks, nothing done. */
  | 'drop'
  /** It is done, and the connection breaks before the answer. */
  | 'done_then_drop'
  | 'wrong_amount'
  | 'fail_refund'
  | 'pending_refund'
  /** 500, nothing done. */
  | 'server_error'
  /** Something that is not JSON, with status 200. */
  | 'nonsense';

export type Call = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  raw: string;
};

export type Answer = { status: number; body: unknown; headers?: Record<string, string> };

export type LoopbackOptions = {
  /** Milliseconds since 1970: lookups by time need the clock of the installation. */
  now?: () => number;
};

/** One move of money, for tests that count. */
export type LedgerLine = {
  paymentId: string | null;
  transactionId: string;
  amount: number;
  currency: string;
};

/** A signed notification on its way. */
export type Delivery = { body: string; headers: Record<string, string> };

export type Loopback = {
  url: string;
  /** The next call that charges, refunds or captures meets this. */
  next(what: Switch, count?: number): void;
  /** Whether the next call meets it; it does so once. */
  takes(...what: Switch[]): Switch | null;
  /** Calls that came in, oldest first. */
  calls: Call[];
  close(): Promise<void>;
};

export type LoopbackRules = {
  /** The idempotency key of a call, where it has one. */
  keyOf: (call: Call) => string | null;
  /** Whether a switch is meant for this call. */
  isMoving: (call: Call) => boolean;
  ledger: () => { charges: LedgerLine[]; balanceCents: number };
};

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

/**
 * Starts a stand-in. For other processes, `POST /_control {"next": "decline"}` is `next`, and `GET /_ledger` shows what was
 * charged.
 *
 * @param handle answers a call; it has to be done before a call that is repeated is compared
 */
export async function openLoopback(
  handle: (call: Call) => Answer | Promise<Answer>,
  { keyOf, isMoving, ledger }: LoopbackRules,
): Promise<Loopback> {
  const waiting: Switch[] = [];
  const answered = new Map<string, { raw: string; answer: Answer }>();
  const calls: Call[] = [];
  const takes = (...what: Switch[]): Switch | null =>
    waiting[0] !== undefined && what.includes(waiting[0]) ? (waiting.shift() as Switch) : null;

  async function answerOf(call: Call): Promise<Answer> {
    const key = keyOf(call);
    const known = key === null ? undefined : answered.get(key);
    if (known && known.raw !== call.raw)
      return { status: 400, body: { error: { type: 'idempotency_error', message: 'other parameters' } } };
    if (known) return known.answer;
    const answer = await handle(call);
    // A failure of the server itself may be tried again.
    if (key !== null && answer.status < 500) answered.set(key, { raw: call.raw, answer });
    return answer;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://x');
    const call: Call = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      raw: await read(request),
    };
    if (call.path === '/_control') {
      waiting.push(...[(JSON.parse(call.raw) as { next: Switch }).next].flat());
      return send(response, { status: 200, body: {} });
    }
    if (call.path === '/_ledger') return send(response, { status: 200, body: ledger() });
    calls.push(call);
    const broken = isMoving(call)
      ? takes('hang', 'drop', 'done_then_drop', 'server_error', 'nonsense')
      : null;
    if (broken === 'hang') return;
    if (broken === 'server_error')
      return send(response, { status: 500, body: { error: { message: 'oops' } } });
    if (broken === 'nonsense') return send(response, { status: 200, body: '<html>busy</html>' });
    if (broken === 'drop') return void request.socket.destroy();
    const answer = await answerOf(call);
    if (broken === 'done_then_drop') return void request.socket.destroy();
    send(response, answer);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => send(response, { status: 500, body: String(error) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: (what, count = 1) => void waiting.push(...Array.from({ length: count }, () => what)),
    takes,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Posts signed notifications, each in its turn. @returns the status of each answer */
export async function deliver(url: string, deliveries: readonly Delivery[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const { body, headers } of deliveries) {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    await answer.arrayBuffer();
    statuses.push(answer.status);
  }
  return statuses;
}
