// A shop as a proof's counterpart: it sells, charges and is told of payments, with one planted fault, which --break names.
// Without one every step is a conditional change, and every charge has its key. Several of them share a database.
// usage: node fixture-till.ts serve --json --listen ADDR (--file FILE | --url URL) --stripe URL --break FAULT
// The first words are those with which the program is started.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { STRIPE_KEYS } from '../../support/processors/stripe-server.ts';
import { openFile, openServer } from './reader.ts';
import { PRICE_CENTS } from './storefront.ts';
import type { TillFault } from './till.ts';

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    listen: { type: 'string' },
    file: { type: 'string', default: '' },
    url: { type: 'string' },
    stripe: { type: 'string', default: '' },
    break: { type: 'string', default: '' },
  },
});
const database = values.url === undefined ? await openFile(values.file) : await openServer(values.url);
const isBroken = (fault: TillFault): boolean => values.break === fault;

interface Cart {
  variant?: string;
  code?: string;
  card?: string;
  /** What its order was answered with. */
  answered?: object;
}
const carts = new Map<string, Cart>();

/** Looks and takes: in one step, or in two with time between them. @returns whether there was enough */
async function take(
  table: string,
  column: string,
  id: string,
  amount: number,
  inTwo: boolean,
): Promise<boolean> {
  const key = table === 'inventory_levels' ? 'variant_id' : 'id';
  if (!inTwo) {
    const sql = `UPDATE ${table} SET ${column} = ${column} - ? WHERE ${key} = ? AND ${column} >= ?`;
    return (await database.run(sql, amount, id, amount)) === 1;
  }
  const [row] = await database.all<Record<string, number>>(
    `SELECT ${column} FROM ${table} WHERE ${key} = ?`,
    id,
  );
  const there = row?.[column] ?? 0;
  await sleep(2);
  if (there < amount) return false;
  await database.run(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`, there - amount, id);
  return true;
}

async function takeUnit(variant: string): Promise<boolean> {
  if (!(await take('inventory_levels', 'on_hand', variant, 1, isBroken('takes-after-looking')))) return false;
  await database.run('INSERT INTO stock_movements VALUES (?, -1)', variant);
  return true;
}

async function useCode(code: string, orderId: string): Promise<boolean> {
  if (isBroken('uses-after-counting')) {
    const uses = await database.all('SELECT 1 FROM promotion_redemptions WHERE promotion_id = ?', code);
    await sleep(2);
    if (uses.length > 0) return false;
  } else if (
    (await database.run('UPDATE promotions SET used_count = 1 WHERE id = ? AND used_count = 0', code)) === 0
  )
    return false;
  await database.run('INSERT INTO promotion_redemptions VALUES (?, ?, ?)', code, orderId, 'used');
  return true;
}

async function spend(card: string): Promise<boolean> {
  const isSpent = await take(
    'gift_cards',
    'balance_cents',
    card,
    PRICE_CENTS,
    isBroken('spends-after-looking'),
  );
  if (isSpent)
    await database.run('INSERT INTO gift_card_ledger VALUES (?, ?, ?)', card, -PRICE_CENTS, 'redeem');
  return isSpent;
}

/** A payment as Stripe reports it. */
interface Intent {
  status: string;
  next_action?: { redirect_to_url: { url: string } } | null;
}

/** Charges until it is answered. */
async function charge(paymentId: string, source: string): Promise<Intent> {
  const form = {
    amount: String(PRICE_CENTS),
    currency: 'usd',
    payment_method: source,
    'metadata[payment_id]': paymentId,
  };
  for (;;) {
    try {
      const answer = await fetch(`${values.stripe}/v1/payment_intents`, {
        method: 'POST',
        body: new URLSearchParams(form),
        headers: {
          authorization: `Bearer ${STRIPE_KEYS.stripe_secret_key}`,
          ...(!isBroken('charges-again') && { 'idempotency-key': paymentId }),
        },
      });
      return (await answer.json()) as Intent;
    } catch {
      // The connection broke: whether it was charged is asked with the same key.
    }
  }
}

let mine = 0;
async function nextNumber(): Promise<string> {
  if (!isBroken('numbers-after-looking')) return `${process.pid}-${++mine}`;
  const [row] = await database.all<{ n: number }>('SELECT count(*) AS n FROM orders');
  await sleep(2);
  return String(row?.n);
}

async function place(id: string, email: string, paidCents: number): Promise<void> {
  await database.run(
    'INSERT INTO orders VALUES (?, ?, ?, ?, ?)',
    id,
    await nextNumber(),
    email,
    'now',
    paidCents,
  );
  await database.run('INSERT INTO email_log VALUES (?, ?)', 'order_confirmation', id);
  await database.run('INSERT INTO events VALUES (?, ?)', 'order.created', id);
}

const wanting = new Map<string, string>();

/** @returns the reason of a refusal, or the order */
async function checkout({ variant = '', code, card }: Cart, email: string, source: string) {
  const [id, paymentId] = [randomUUID(), randomUUID()];
  const pay = () => (card === undefined ? charge(paymentId, source) : { status: 'succeeded' as const });
  const early = isBroken('charges-first') ? await pay() : null;
  if (!(await takeUnit(variant))) return { reason: 'OUT_OF_STOCK' };
  if (code !== undefined && !(await useCode(code, id))) return { reason: 'PROMOTION_EXHAUSTED' };
  if (card !== undefined && !(await spend(card))) return { reason: 'GIFT_CARD_EMPTY' };
  const intent: Intent = early ?? (await pay());
  const isPaid = intent.status === 'succeeded';
  const [cents, captured] = [card === undefined ? PRICE_CENTS : 0, isPaid ? 'captured' : 'pending'];
  const kind = card === undefined ? 'card' : 'gift_card';
  await database.run(
    'INSERT INTO payments VALUES (?, ?, ?, ?, ?)',
    paymentId,
    id,
    kind,
    captured,
    isPaid ? cents : 0,
  );
  if (isPaid) await place(id, email, cents);
  else wanting.set(paymentId, email);
  const order = { order_number: id, placed_at: isPaid ? 'now' : null };
  const url = intent.next_action?.redirect_to_url.url;
  return { order, payment: { id: paymentId, next_action: url === undefined ? null : { url } } };
}

/** A payment is said to have succeeded. */
async function reported(paymentId: string): Promise<void> {
  const email = wanting.get(paymentId);
  if (email === undefined) return;
  await sleep(2);
  if (!isBroken('places-per-report')) wanting.delete(paymentId);
  await database.run(
    'UPDATE payments SET status = ?, captured_cents = ? WHERE id = ?',
    'captured',
    PRICE_CENTS,
    paymentId,
  );
  const [row] = await database.all<{ order_id: string }>(
    'SELECT order_id FROM payments WHERE id = ?',
    paymentId,
  );
  await place(String(row?.order_id), email, PRICE_CENTS);
}

async function answer(req: IncomingMessage, cart: Cart, body: Record<string, string>): Promise<object> {
  const path = req.url ?? '';
  if (path.endsWith('/session')) return { csrf_token: 'none' };
  if (path.endsWith('/cart/add')) return Object.assign(cart, { variant: body.variant_id });
  if (path.endsWith('/cart/coupon')) return Object.assign(cart, { code: body.code });
  if (path.endsWith('/cart/gift-card')) return Object.assign(cart, { card: body.code });
  if (path.endsWith('/checkout') || path.endsWith('/confirm')) {
    cart.answered ??= await checkout(cart, body.email ?? '', body.source_id ?? '');
    return cart.answered;
  }
  const { object } = (body.data ?? {}) as unknown as { object?: { metadata?: { payment_id?: string } } };
  await reported(object?.metadata?.payment_id ?? '');
  return {};
}

const server = createServer(async (req, res) => {
  let text = '';
  for await (const chunk of req) text += chunk;
  const sid = /sid=(\S+)/.exec(req.headers.cookie ?? '')?.[1] ?? randomUUID();
  const cart = carts.get(sid) ?? {};
  carts.set(sid, cart);
  const data = await answer(req, cart, text === '' ? {} : JSON.parse(text));
  const isRefused = 'reason' in data;
  const headers = { 'Content-Type': 'application/json', 'Set-Cookie': `sid=${sid}` };
  res.writeHead(isRefused ? 400 : 200, headers);
  res.end(JSON.stringify(isRefused ? { details: data } : { data }));
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
