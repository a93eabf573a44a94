import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Ctx } from '../context.ts';
import type { Seal } from './surface.ts';

/** One request and its answer, as they pass through the layers. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** Declared path, never the URL: URLs may hold keys. */
  readonly route: string;
  readonly ip: string;
  readonly startedMs: number;
  ctx: Ctx;
  readonly headers: Record<string, string | string[]>;
  /** Makes headers of the final text of the answer; null when the request asked for none. */
  seal: Seal | null;
  /** Gives back the point of a limit that spares input which is refused. */
  giveBack?: () => Promise<void>;
}

/** Sends a JSON answer; answers to callers with credentials are never stored by anybody in between. */
export const send = (exchange: Exchange, status: number, body: unknown): void =>
  sendText(exchange, status, JSON.stringify(body));

/** Sends an answer whose JSON is text already, or compressed; an empty one is an answer without a body. */
export function sendText(exchange: Exchange, status: number, text: string | Buffer): void {
  if (text.length > 0) {
    exchange.headers['Content-Type'] = 'application/json; charset=utf-8';
    exchange.headers['Content-Length'] = String(Buffer.byteLength(text));
  }
  exchange.headers['Cache-Control'] ??= 'no-store';
  if (exchange.res.headersSent) return;
  exchange.res.writeHead(status, exchange.headers);
  exchange.res.end(text);
}
