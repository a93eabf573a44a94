// A server that refuses everything as a proof's counterpart, with one planted fault: it keeps something of each client.
// usage: node fixture-flood.ts serve --json --listen ADDR [--break=keeps-every-address]
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';

const KEPT_BYTES = 8192;
const { values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, listen: { type: 'string' }, break: { type: 'string' } },
});
const kept = new Map<string, Buffer>();

const server = createServer((req, res) => {
  if (values.break === 'keeps-every-address') {
    kept.set(String(req.headers['x-forwarded-for']), Buffer.alloc(KEPT_BYTES, 1));
  }
  req.resume();
  res.writeHead(404, { 'Content-Length': 2 }).end('{}');
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid })}\n`);
});
