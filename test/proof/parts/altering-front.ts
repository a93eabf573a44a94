// A planted fault: something in front of the server gives other answers than the server did.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Front } from './early-answer.ts';

/** What is answered in place of an answer; undefined leaves it as it is. */
export type Alteration = (path: string, status: number) => { status: number; body: string } | undefined;

/** Passes requests on and alters what comes back. */
export async function startAlteringFront(server: string, alter: Alteration): Promise<Front> {
  const front = createServer((req, res) => {
    const path = req.url ?? '/';
    const sent = request(new URL(path, server), { method: req.method, headers: req.headers }, (answer) => {
      const status = answer.statusCode ?? 0;
      const other = alter(path, status);
      if (other) {
        answer.resume();
        res.writeHead(other.status, { 'Content-Type': 'application/json' }).end(other.body);
        return;
      }
      res.writeHead(status, answer.headers);
      answer.pipe(res).on('error', () => res.destroy());
      answer.on('error', () => res.destroy());
    });
    sent.on('error', () => res.destroy());
    req.pipe(sent);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    close() {
      front.close();
      front.closeAllConnections();
    },
  };
}

/** Faults of a server that cannot write, by name. */
export const ALTERATIONS: Readonly<Record<string, () => Alteration>> = {
  /** What failed is acknowledged. */
  'answers-anyway': () => (path, status) =>
    status === 500 && path.endsWith('/record-usage') ? { status: 200, body: '{"success":true}' } : undefined,
  /** A load balancer is told that all is well. */
  'always-healthy': () => (path, status) =>
    status === 503 && path === '/api/health' ? { status: 200, body: '{"success":true}' } : undefined,
  /** Somebody has to start it again. */
  'needs-a-restart': () => {
    let isStuck = false;
    const body = '{"success":false,"error":{"code":"SERVER_ERROR"}}';
    return (path, status) => {
      isStuck ||= status === 503 && path === '/api/health';
      return isStuck && path.startsWith('/api/health') ? { status: 503, body } : undefined;
    };
  },
};
