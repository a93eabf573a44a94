// The world as a namespace has it in which every address is this machine: whoever connects anywhere is seen.
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { makeCertificate } from '../../support/certificate.ts';
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts';
import { HONEST, PUBLIC, PUBLIC_ADDRESSES, redirects } from './ssrf-cases.ts';

const TLS_PORT = 443;
/** Of web servers, which a connection to a public address may use. */
const WEB_PORTS = [80, TLS_PORT, 8080];
const OTHER_PORTS = [22, 25, 3000, 3306, 5432, 6379, 9200, 11_211];
export const DNS_ADDRESS = '127.0.0.53';

export interface World {
  readonly dns: DnsServer;
  /** PEM of the authority that vouches for the public receiver. */
  readonly authority: string;
  /** `ADDRESS:PORT` of each connection to what must not be reached. */
  readonly canaries: readonly string[];
  /** Paths that the public receiver was asked for. */
  readonly paths: readonly string[];
  close(): Promise<void>;
}

/** Makes it; only where every address leads to the loopback interface. */
export async function makeWorld(): Promise<World> {
  const canaries: string[] = [];
  const paths: string[] = [];
  const certificate = makeCertificate([`DNS:${HONEST}`, 'DNS:*.example.com', `IP:${PUBLIC}`]);
  const answer: RequestListener = (req, res) => {
    const path = req.url ?? '';
    paths.push(path);
    const to = redirects[path.split('/redirect/')[1] ?? ''];
    req.resume();
    if (to === undefined) res.end('reached');
    else res.writeHead(Number(path.split('/').at(-1)), { Location: to }).end();
  };
  const plain = createHttpServer(answer);
  const secure = createTlsServer(certificate, answer);
  const meet = (port: number, socket: Socket): void => {
    const address = socket.localAddress?.replace('::ffff:', '') ?? '';
    socket.on('error', () => undefined);
    if (WEB_PORTS.includes(port) && PUBLIC_ADDRESSES.includes(address)) {
      (port === TLS_PORT ? secure : plain).emit('connection', socket);
      return;
    }
    canaries.push(`${address}:${port}`);
    socket.destroy();
  };
  const eyes = [...WEB_PORTS, ...OTHER_PORTS].map((port) =>
    createServer((socket) => meet(port, socket)).listen(port, '::'),
  );
  await Promise.all(eyes.map(listening));
  const names = { [HONEST]: { addresses: [PUBLIC] } };
  const dns = await startDnsServer({ address: DNS_ADDRESS, port: 53, names });
  return {
    dns,
    authority: certificate.cert,
    canaries,
    paths,
    async close() {
      plain.closeAllConnections();
      secure.closeAllConnections();
      for (const eye of eyes) eye.close();
      await dns.close();
    },
  };
}

const listening = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
