// A sender of events as a proof's counterpart, sound or with one planted fault. The names of a product, of its webhook
// and of the receiver's address are one.
// usage: node fixture-sender.ts serve --json --listen ADDR (--file FILE | --url URL) --receiver URL [--break=FAULT]
// faults: marks-before-sending, new-id-each-time, retries-refusals, hurries, never-resets. The first words are those
// with which the program is started.
import { createHmac, randomUUID } from 'node:crypto';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openFile, openServer } from './reader.ts';

/** Known to the receiver that listens to a fixture. */
const SECRET = 'the-secret-of-a-fixture';
const LIMIT = 20;
const AT_ONCE = 20;
const LOOK_MS = 20;
const TIMEOUT_MS = 1000;

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    listen: { type: 'string' },
    file: { type: 'string', default: '' },
    url: { type: 'string' },
    receiver: { type: 'string', default: '' },
    break: { type: 'string' },
  },
});
const broken = values.break;
const delaysMs = broken === 'hurries' ? [200, 200] : [1000, 2000];
const database = values.url === undefined ? await openFile(values.file) : await openServer(values.url);

/** A delivery as it is stored. */
interface Row {
  event_id: string;
  webhook_id: string;
  attempts: number;
  body: string;
}

/** Makes an event and its delivery; a database of its own for each fault spares the transaction. */
async function emit(name: string): Promise<string> {
  const id = randomUUID();
  const [webhook] = await database.all<{ enabled: number }>(
    'SELECT enabled FROM webhooks WHERE id = ?',
    name,
  );
  await database.run('INSERT INTO licenses VALUES (?, ?)', id, name);
  if (webhook?.enabled) {
    const body = JSON.stringify({ event: 'LICENSE_CREATED', data: { licenseId: id } });
    await database.run(
      "INSERT INTO webhook_deliveries VALUES (?, ?, 'PENDING', 0, ?, ?)",
      ...[`evt_${id}`, name, Date.now(), body],
    );
  }
  await database.run("INSERT INTO events VALUES (?, 'LICENSE_CREATED', 'license', ?)", `evt_${id}`, id);
  return id;
}

async function tick(): Promise<void> {
  const due = await database.all<Row>(
    `SELECT event_id, webhook_id, attempts, body FROM webhook_deliveries
     WHERE state = 'PENDING' AND due_ms <= ? ORDER BY due_ms LIMIT ${AT_ONCE}`,
    Date.now(),
  );
  if (broken === 'marks-before-sending') for (const row of due) await settle(row, 200, row.attempts + 1);
  await Promise.all(due.map(deliver));
}

async function deliver(row: Row): Promise<void> {
  const number = row.attempts + 1;
  const status = await send(row, number);
  if (broken !== 'marks-before-sending') await settle(row, status, number);
}

/** @param status of the answer; 0 when there was none */
async function settle(row: Row, status: number, number: number): Promise<void> {
  const isTaken = status >= 200 && status < 300;
  const isRetried = broken === 'retries-refusals' ? !isTaken : status === 0 || status >= 500;
  const delay = isRetried ? delaysMs[number - 1] : undefined;
  const state = isTaken ? 'DELIVERED' : delay === undefined ? 'FAILED' : 'PENDING';
  await database.run(
    'UPDATE webhook_deliveries SET state = ?, attempts = ?, due_ms = ? WHERE event_id = ?',
    ...[state, number, Date.now() + (delay ?? 0), row.event_id],
  );
  if (state !== 'PENDING') await count(row.webhook_id, isTaken);
}

async function count(webhookId: string, isTaken: boolean): Promise<void> {
  if (isTaken && broken === 'never-resets') return;
  const failures = isTaken ? '0' : 'consecutive_failures + 1';
  await database.run(
    `UPDATE webhooks SET consecutive_failures = ${failures} WHERE id = ? AND enabled = 1`,
    webhookId,
  );
  await database.run(
    'UPDATE webhooks SET enabled = 0 WHERE id = ? AND consecutive_failures >= ?',
    webhookId,
    LIMIT,
  );
}

function send({ event_id, webhook_id, body }: Row, number: number): Promise<number> {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'User-Agent': 'fixture/1.0',
    'X-Webhook-Event': 'LICENSE_CREATED',
    'X-Webhook-Attempt': String(number),
    'X-Webhook-Id': broken === 'new-id-each-time' ? `evt_${randomUUID()}` : event_id,
    'X-Webhook-Timestamp': String(Date.now()),
    'X-Webhook-Signature': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
  };
  return new Promise((resolve) => {
    const url = `${values.receiver}/hook/${webhook_id}`;
    const req = request(url, { method: 'POST', headers, agent: false, timeout: TIMEOUT_MS }, (res) => {
      res.resume().once('close', () => resolve(res.statusCode ?? 0));
    });
    req.once('timeout', () => req.destroy());
    req.once('error', () => resolve(0));
    req.end(body);
  });
}

const server = createServer(async (req, res) => {
  let text = '';
  for await (const chunk of req) text += chunk;
  const { name, count: wanted } = JSON.parse(text) as { name: string; count: number };
  const ids: string[] = [];
  for (let made = 0; made < wanted; made++) ids.push(await emit(name));
  res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(ids));
});
let isOver = false;
process.once('SIGTERM', () => {
  isOver = true;
  server.close();
  server.closeAllConnections();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid })}\n`);
});
while (!isOver) {
  await tick();
  await sleep(LOOK_MS);
}
await database.close();
