// Bad requests over pipelined connections: as many a second as one process can send.
import { connect } from 'node:net';
import type { Random } from './random.ts';

/** What a flood came to. */
export interface Flood {
  answers: number;
  /** Answers of 500 and above. */
  failures: number;
  /** Milliseconds of the slowest answer. */
  slowestMs: number;
}

const CONNECTIONS = 32;
const PIPELINED = 4;
/** A connection takes this many and gives way to a new one, as those of real clients do. */
const PER_CONNECTION = 500;
const SILENCE_MS = 15_000;

const address = ({ below }: Random): string =>
  [1 + below(223), below(256), below(256), 1 + below(254)].join('.');

function get(random: Random, path: string, ...headers: string[]): string {
  const lines = [`GET ${path} HTTP/1.1`, 'Host: x', `X-Forwarded-For: ${address(random)}`, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function post(random: Random, path: string, body: string, ...headers: string[]): string {
  const about = ['Content-Type: application/json', `Content-Length: ${body.length}`];
  return get(random, path, ...about, ...headers).replace('GET', 'POST') + body;
}

/** Requests that nobody means, each with another address, path, credential or text. */
const badRequests: readonly [(random: Random) => string, ...((random: Random) => string)[]] = [
  (r) => get(r, `/api/v1/${r.word(40)}`),
  (r) => get(r, `/${r.word(40)}`),
  (r) => get(r, `/api/v1/license/check/%zz${r.word(10)}`),
  (r) => get(r, '/api/v1/products', `X-Junk: ${r.word(30)}${'x'.repeat(12_000)}`),
  (r) => post(r, '/api/v1/license/activate', '{}', `X-API-Key: alk_${r.word(43)}`),
  (r) => get(r, `/api/v1/license/check/${r.word(20)}`, `X-API-Key: alk_${r.word(43)}`),
  (r) => post(r, '/api/v1/license/validate', `{"licenseKey":${r.word(50)}`, `X-API-Key: alk_${r.word(43)}`),
  (r) => post(r, `/api/v1/webhooks/inbound/inb_${r.word(26)}`, `{"a":${r.word(500)}`),
  (r) =>
    get(r, '/api/v1/updates/check?current_version=1.0.0', `X-License-Key: APP-${r.word(4)}-${r.word(8)}`),
  (r) => get(r, `/api/v1/updates/public-key?product=${r.word(20)}`),
  (r) => get(r, `/api/v1/admin/webhooks/${r.word(20)}`, `Authorization: Bearer adm_${r.word(43)}`),
  // Behind a proxy that appends the address, the client chooses the rest of the list.
  (r) => get(r, '/api/v1/products', `X-Forwarded-For: ${'9'.repeat(8000)}, ${address(r)}`),
];

/**
 * Sends bad requests and waits for every answer.
 *
 * @throws Error when the server stops answering
 */
export async function flood(url: string, random: Random, count: number): Promise<Flood> {
  const seen: Flood = { answers: 0, failures: 0, slowestMs: 0 };
  let sent = 0;
  const next = (): string | null => {
    if (sent >= count) return null;
    sent += 1;
    return random.pick(badRequests)(random);
  };
  const work = async (): Promise<void> => {
    while (sent < count) await oneConnection(new URL(url), next, seen);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return seen;
}

function oneConnection({ hostname, port }: URL, next: () => string | null, seen: Flood): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const waiting: number[] = [];
    let taken = 0;
    const send = (): void => {
      const request = taken < PER_CONNECTION ? next() : null;
      if (request !== null) {
        taken += 1;
        waiting.push(performance.now());
        socket.write(request);
      } else if (waiting.length === 0) socket.end();
    };
    socket.once('connect', () => {
      for (let i = 0; i < PIPELINED; i++) send();
    });
    // What follows the last status of a chunk: the next one may be split between two.
    let rest = '';
    socket.on('data', (chunk) => {
      const text = rest + chunk.toString('latin1');
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)];
      const last = statuses.at(-1);
      rest = text.slice(Math.max(last ? last.index + 12 : 0, text.length - 12));
      for (const [, status] of statuses) {
        seen.answers += 1;
        if (Number(status) >= 500) seen.failures += 1;
        seen.slowestMs = Math.max(seen.slowestMs, performance.now() - (waiting.shift() ?? 0));
        send();
      }
    });
    socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('the server does not answer any more')));
    socket.once('error', reject);
    socket.once('close', () => resolve());
  });
}
