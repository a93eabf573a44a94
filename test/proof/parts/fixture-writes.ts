// A server that stores each request in SQLite as a proof's counterpart, sound or with one planted fault.
// usage: node fixture-writes.ts serve --json --listen ADDR --file FILE [--break=FAULT], faults: synchronous-normal,
// synchronous-off, early-answer, ignores-errors. The first words are those with which the program is started.
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    listen: { type: 'string' },
    file: { type: 'string', default: '' },
    break: { type: 'string' },
  },
});
const broken = values.break;
const synchronous = { 'synchronous-normal': 'NORMAL', 'synchronous-off': 'OFF' }[broken ?? ''] ?? 'FULL';

const database = new Database(values.file);
database.pragma('journal_mode = WAL');
database.pragma(`synchronous = ${synchronous}`);
database.exec('CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY, at INTEGER NOT NULL)');
const insert = database.prepare('INSERT INTO notes (id, at) VALUES (?, ?)');

function acknowledge(res: ServerResponse, id: string): void {
  const body = JSON.stringify({ success: true, id });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length, 'X-Request-Id': id };
  res.writeHead(200, headers).end(body);
}

const server = createServer((req, res) => {
  req.resume().once('end', () => {
    const id = `req_${randomUUID()}`;
    if (broken === 'early-answer') {
      acknowledge(res, id);
      setImmediate(() => insert.run(id, Date.now()));
      return;
    }
    try {
      insert.run(id, Date.now());
    } catch (error) {
      if (broken !== 'ignores-errors') throw error;
    }
    acknowledge(res, id);
  });
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  database.close();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid })}\n`);
});
