import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, json } from './forward.ts';

/** What is done with a request: its bytes as they came. */
export type Handler = (request: IncomingMessage, raw: Buffer) => Promise<Answer>;

/** More than any event has. */
const MOST_BYTES = 1_048_576;
const HOST = '127.0.0.1';

/** A receiver that listens on this machine only. */
export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * @param port 0 takes a free one
 * @throws Error with code EADDRINUSE when the port is taken, EACCES when it may not be had
 */
export async function openReceiver(port: number, handle: Handler): Promise<Receiver> {
  const server = createServer((request, response) => void respond(request, response, handle));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, HOST, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return { url: `http://${HOST}:${taken}/`, close: () => close(server) };
}

async function respond(request: IncomingMessage, response: ServerResponse, handle: Handler): Promise<void> {
  // A sender that went away in the middle is no reason to stop listening.
  const { status, type, body } = await answer(request, handle).catch((error: Error) =>
    json(500, { error: error.message }),
  );
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': body.length }).end(body);
}

async function answer(request: IncomingMessage, handle: Handler): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes <= MOST_BYTES) chunks.push(chunk as Buffer);
  }
  if (request.method !== 'POST') return json(405, { error: 'webhooks are sent with POST' });
  if (bytes > MOST_BYTES) return json(413, { error: `more than ${MOST_BYTES} bytes` });
  return handle(request, Buffer.concat(chunks));
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
