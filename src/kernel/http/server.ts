import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions, Server as TlsServer } from 'node:https';
import { Server as NetServer } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { ListenAddress } from '../config/listen.ts';
import type { ServerState } from './runtime.ts';
import { fileAt, listenAt, listenOn } from './socket-path.ts';

/** PEM texts of a certificate with its chain, and of its private key. */
export interface Certificate {
  readonly cert: Buffer | string;
  readonly key: Buffer | string;
}

/** What a server shows its clients. */
export interface ShownCertificate extends Certificate {
  /**
   * Answers the question of a certificate authority whether the server has a name (RFC 8737).
   *
   * @returns what proves it; undefined while nobody asked for a certificate of the name
   */
  readonly proofOf?: (name: string) => SecureContext | undefined;
}

export interface RunningServer {
  /** As printed: `http://127.0.0.1:8480`, `unix:/run/appctl.sock`, `fd:3`. */
  readonly url: string;
  /** Descriptor of the listening socket, to be passed on to another process. */
  readonly fd: number;
  /** Stops accepting, lets open requests finish, and resolves when the last connection is gone. */
  stop(): Promise<void>;
  /** Another process listens on the same socket: the file of a Unix socket stays. */
  handOver(): void;
  /** Shows another certificate to connections that begin from now on; without TLS it does nothing. */
  show(certificate: Certificate): void;
  /** Ends every connection at once. */
  destroy(): void;
}

/** Header and idle times of reliability M17; bodies have deadlines of their own. */
const TIMES = {
  headersTimeout: 10_000,
  requestTimeout: 0,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
} as const;

const TLS_VERSION = 'TLSv1.2';
/** A server that stops waits for connections that have yet to say what they want. */
const HANDSHAKE_MS = 10_000;
const CLOSE_IDLE_AFTER_MS = 1500;
const CLOSE_IDLE_EVERY_MS = 200;

/**
 * Listens on one address.
 *
 * @param state is told when the server stops
 * @param tls shown to clients; TLS 1.2 or higher
 * @param fd descriptor of a socket that another process has opened for the address
 * @throws Error with code EADDRINUSE, EACCES … when it cannot listen
 */
export async function listen(
  answer: RequestListener,
  state: ServerState,
  address: ListenAddress,
  tls?: ShownCertificate,
  fd: number | null = null,
): Promise<RunningServer> {
  const server = serverFor(answer, tls);
  const isNew = fd === null;
  const path =
    address.kind === 'unix' ? (isNew ? await listenAt(server, address.path) : fileAt(address.path)) : null;
  if (!isNew) await listenOn(server, { fd });
  else if (address.kind !== 'unix') await listenOn(server, listenOptions(address));
  return {
    url: address.kind === 'unix' ? `unix:${address.path}` : describe(server, tls !== undefined),
    fd: descriptorOf(server),
    stop: async () => {
      path?.remove();
      await drain(state, server);
    },
    handOver: () => path?.leave(),
    show: ({ cert, key }) => {
      if (server instanceof TlsServer) server.setSecureContext({ cert, key, minVersion: TLS_VERSION });
    },
    destroy: () => server.closeAllConnections(),
  };
}

function serverFor(answer: RequestListener, tls?: ShownCertificate): Server {
  const handler = (req: IncomingMessage, res: ServerResponse): void => {
    if (countHosts(req) !== 1) refuse(res);
    else answer(req, res);
  };
  const server = tls ? createTlsServer(optionsOf(tls), handler) : createServer(TIMES, handler);
  return server.on('connect', (_req, socket) => socket.destroy());
}

/** Protocol of a connection in which a certificate authority asks for a proof, and nothing else is said. */
const PROOF = 'acme-tls/1';

function optionsOf({ cert, key, proofOf }: ShownCertificate): ServerOptions {
  const options: ServerOptions = {
    ...TIMES,
    cert,
    key,
    minVersion: TLS_VERSION,
    handshakeTimeout: HANDSHAKE_MS,
  };
  if (!proofOf) return options;
  return {
    ...options,
    ALPNCallback(this: TLSSocket, { servername, protocols }) {
      const proof = protocols.includes(PROOF) ? proofOf(servername) : undefined;
      if (proof) {
        this.setKeyCert(proof);
        return PROOF;
      }
      return protocols.includes('http/1.1') ? 'http/1.1' : undefined;
    },
  };
}

function listenOptions(
  address: Exclude<ListenAddress, { kind: 'unix' }>,
): { host?: string; port: number } | { fd: number } {
  if (address.kind === 'fd') return { fd: address.fd };
  return address.host === null ? { port: address.port } : { host: address.host, port: address.port };
}

/** Node has no public name for it; a successor inherits the socket by it. */
const descriptorOf = (server: Server): number =>
  (server as unknown as { _handle: { fd: number } | null })._handle?.fd ?? -1;

/** Node takes the first of two; a proxy in front may have judged by the other one. HTTP/1.0 may come without any. */
function countHosts(req: IncomingMessage): number {
  let hosts = 0;
  const { rawHeaders } = req;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

function refuse(res: ServerResponse): void {
  const body = JSON.stringify({
    success: false,
    error: { code: 'VALIDATION_ERROR', message: 'exactly one Host header is required' },
  });
  res.writeHead(400, { 'Content-Type': 'application/json', Connection: 'close' }).end(body);
}

function describe(server: Server, secure: boolean): string {
  const address = server.address();
  if (typeof address === 'string') return `unix:${address}`;
  if (!address) return 'inherited socket';
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${secure ? 'https' : 'http'}://${host}:${address.port}`;
}

/**
 * Ends a server without resetting anybody. `server.close()` would cut idle keep-alive connections on which a
 * client is about to send (9 resets in 10 restarts): accepting ends first, and idle ones are closed a little
 * later, after their next answer has told them to go (M21).
 */
function drain(state: ServerState, server: Server): Promise<void> {
  state.isDraining = true;
  state.stopping.abort();
  return new Promise((resolve) => {
    let sweep: NodeJS.Timeout | undefined;
    const later = setTimeout(() => {
      sweep = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
      server.closeIdleConnections();
    }, CLOSE_IDLE_AFTER_MS);
    NetServer.prototype.close.call(server, () => {
      clearTimeout(later);
      clearInterval(sweep);
      resolve();
    });
  });
}
