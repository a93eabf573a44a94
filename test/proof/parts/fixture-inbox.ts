// An inbox for purchases as a proof's counterpart, sound or with one planted fault. Its places are called as the
// processors are, and their secrets are known.
// usage: node fixture-inbox.ts serve --json --listen ADDR (--file FILE | --url URL) [--break=FAULT]
// faults: check-then-insert, lax-signatures, forgets-some. The first words are those with which the program is started.
import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Stripe from 'stripe';
import { fixtureShop } from './fixture-shop.ts';
import type { ProcessorName } from './purchases.ts';
import { openFile, openServer } from './reader.ts';

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    listen: { type: 'string' },
    file: { type: 'string', default: '' },
    url: { type: 'string' },
    break: { type: 'string' },
  },
});
const broken = values.break;
const UNITS = 3;
/** Orders whose names end so are forgotten, however often they are reported. */
const FORGOTTEN = /7$/;
const WINDOW_SECONDS = 120;
const database = values.url === undefined ? await openFile(values.file) : await openServer(values.url);
const stripe = new Stripe('sk_test_of_a_fixture');

const hmac = (secret: string, text: string): Buffer => createHmac('sha256', secret).update(text).digest();
const one = (header: string | string[] | undefined): string => String(header ?? '');

/** The sound rules of the three, or what a quick hand makes of them. */
function isSigned(processor: ProcessorName, headers: IncomingHttpHeaders, body: string): boolean {
  const { secret, notificationUrl } = fixtureShop[processor];
  if (processor === 'stripe') {
    const header = one(headers['stripe-signature']);
    return broken === 'lax-signatures' ? bySdk(header, body, secret) : byRule(header, body, secret);
  }
  if (processor === 'square') {
    const given = Buffer.from(one(headers['x-square-hmacsha256-signature']), 'base64');
    const expected = hmac(secret, `${notificationUrl}${body}`);
    if (broken === 'lax-signatures') return given.equals(expected);
    return one(headers['x-square-hmacsha256-signature']) === expected.toString('base64');
  }
  const expected = hmac(secret, body).toString('hex');
  const [first, second] = [headers['x-webhook-signature'], headers['x-signature']].map((header) =>
    header === undefined ? undefined : one(header).replace(/^sha256=/, ''),
  );
  return broken === 'lax-signatures'
    ? first === expected || second === expected
    : (first ?? second) === expected;
}

function bySdk(header: string, body: string, secret: string): boolean {
  try {
    stripe.webhooks.constructEvent(body, header, secret, WINDOW_SECONDS);
    return true;
  } catch {
    return false;
  }
}

function byRule(header: string, body: string, secret: string): boolean {
  const [, time = '', digest = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  const isRecent = Math.abs(Date.now() / 1000 - Number(time)) <= WINDOW_SECONDS;
  return isRecent && hmac(secret, `${time}.${body}`).toString('hex') === digest;
}

/** Every body names its order the same way here: as the end of its id. */
const orderOf = (body: string): string => /(?:evt_._|sqe_|gen_)([a-z0-9-]+)/.exec(body)?.[1] ?? '';

let last: Promise<unknown> = Promise.resolve();

/** @returns how many licenses it made */
async function take(orderId: string): Promise<number> {
  if (broken === 'forgets-some' && FORGOTTEN.test(orderId)) return 0;
  const rows = await database.all<{ n: number }>(
    'SELECT count(*) AS n FROM licenses WHERE order_id = ?',
    orderId,
  );
  const stored = rows[0]?.n ?? 0;
  if (broken === 'check-then-insert') {
    if (stored > 0) return 0;
    await sleep(2);
  }
  const missing = broken === 'check-then-insert' ? UNITS : UNITS - stored;
  for (let made = 0; made < missing; made++) {
    const id = randomUUID();
    await database.run('INSERT INTO licenses VALUES (?, ?)', id, orderId);
    await database.run("INSERT INTO events VALUES (?, 'LICENSE_CREATED', ?)", randomUUID(), id);
  }
  return missing;
}

/** The sound one takes one report after the other. */
function taking(orderId: string): Promise<number> {
  if (broken === 'check-then-insert') return take(orderId);
  const mine = last.then(() => take(orderId));
  last = mine;
  return mine;
}

const server = createServer(async (req, res) => {
  let body = '';
  for await (const chunk of req) body += chunk;
  const processor = req.url?.split('/').at(-1) as ProcessorName;
  const isKnown = Object.hasOwn(fixtureShop, processor);
  const isTrue = isKnown && isSigned(processor, req.headers, body);
  const licensesCreated = isTrue ? await taking(orderOf(body)) : 0;
  res.writeHead(200, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify({ success: isTrue, received: true, licensesCreated }));
});
process.once('SIGTERM', async () => {
  server.close();
  server.closeAllConnections();
  await database.close();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid })}\n`);
});
