// A server that limits each address to 60 requests as a proof's counterpart, sound or with one planted fault.
// usage: node fixture-limits.ts serve --json --listen ADDR [--break=FAULT], faults: count-then-insert,
// forgets-at-restart, believes-any-header. The first words are those with which the program is started.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { buckets } from './buckets.ts';

const { values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, listen: { type: 'string' }, break: { type: 'string' } },
});
const { name, max, windowSeconds } = buckets.read;
const counts = new Map<string, number>();

function clientOf(req: IncomingMessage): string {
  const forwarded = req.headers['x-forwarded-for'];
  if (values.break === 'believes-any-header' && typeof forwarded === 'string') return forwarded;
  return req.socket.remoteAddress ?? '';
}

/** Counts a request; the fault looks, waits as for a database, and counts what it saw before. */
async function take(client: string): Promise<number> {
  const seen = counts.get(client) ?? 0;
  if (values.break === 'count-then-insert') {
    await sleep(2);
    if (seen < max) counts.set(client, seen + 1);
  } else counts.set(client, seen + 1);
  return seen + 1;
}

const server = createServer(async (req, res) => {
  const taken = await take(clientOf(req));
  const refused = taken > max;
  const body = refused
    ? { success: false, error: { code: 'RATE_LIMITED', details: { bucket: name } } }
    : { success: true };
  res.writeHead(refused ? 429 : 200, {
    'RateLimit-Limit': max,
    'RateLimit-Remaining': Math.max(0, max - taken),
    'RateLimit-Reset': windowSeconds,
    ...(refused && { 'Retry-After': windowSeconds }),
  });
  res.end(JSON.stringify(body));
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid })}\n`);
});
