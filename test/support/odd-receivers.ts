// Receivers on loopback that answer as a test wants, by HTTP or byte by byte.
import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

const open = new Set<Server | HttpServer>();

/** Ends what a test has started; for `afterEach`. */
export function closeReceivers(): void {
  for (const server of open) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
  open.clear();
}

/** Lets a server listen on a free port of 127.0.0.1. @returns an address of it with path and query */
export async function listen(server: Server | HttpServer): Promise<string> {
  open.add(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=b`;
}

/** A receiver that speaks HTTP. */
export const receive = (listener: RequestListener): Promise<string> => listen(createHttpServer(listener));

/** A receiver that speaks bytes, once its first request comes in; `gone` resolves when its connection has ended. */
export async function speak(
  onRequest: (socket: Socket) => void,
): Promise<{ url: string; gone: Promise<boolean> }> {
  let tell: (hadError: boolean) => void;
  const gone = new Promise<boolean>((resolve) => {
    tell = resolve;
  });
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('close', tell);
    socket.once('data', () => onRequest(socket));
  });
  return { url: await listen(server), gone };
}
