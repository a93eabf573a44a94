// A process that opens the installation which the environment names and orders carts beside other processes. Each line of
// work is a variant and how many shoppers want one unit of it; it is answered with a tally of what came of them.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import * as carts from '#storefront/buying/cart/index.ts';
import { placeOrder } from '#storefront/buying/checkout/index.ts';
import { openInstance } from '../../src/app/instance.ts';

/** What is ordered by whom. */
export interface CheckoutWork {
  readonly name: string;
  readonly variantId: string;
  readonly shoppers: number;
  readonly code?: string;
  /** Code of a gift card that pays as far as it reaches. */
  readonly giftCard?: string;
  readonly expectedTotalCents?: number;
  /** With what is paid; absent: later; null: not at all. */
  readonly pay?: { readonly processor: string; readonly sourceId: string } | null;
  /** One half of it: carts can be filled before all of them are ordered at once. */
  readonly only?: 'fill' | 'order';
}

const ways = () => ({ returnUrl: 'http://localhost/return', cancelUrl: 'http://localhost/return' });

const { config } = await loadConfig();
const instance = await openInstance({
  config,
  log: logTo({ write: () => undefined }, 'silent'),
  mode: 'use',
});
const { ctx } = instance;

const ownerOf = ({ name }: CheckoutWork, at: number): carts.Owner => ({
  customerId: null,
  sessionKey: `${name}-${process.pid}-${at}`.padEnd(64, '-').slice(0, 64),
});

async function fill(work: CheckoutWork, at: number): Promise<void> {
  const owner = ownerOf(work, at);
  await carts.add(ctx, owner, { variantId: work.variantId, quantity: 1 });
  if (work.code !== undefined) await carts.enterCode(ctx, owner, work.code);
  if (work.giftCard !== undefined) await carts.attachGiftCard(ctx, owner, work.giftCard);
  await carts.writeExisting(ctx, owner, { email: `${work.name}-${process.pid}-${at}@x.test` });
}

/** @returns `placed`, `waiting` for its money, or why it was refused */
async function order(work: CheckoutWork, at: number): Promise<string> {
  const { pay = { processor: 'offline', sourceId: null }, expectedTotalCents } = work;
  const input = { ...(pay ?? { processor: null, sourceId: null }), expectedTotalCents, termsAccepted: true };
  const { order, payment } = await placeOrder(ctx, ownerOf(work, at), input, ways);
  if (order.placedAt !== null) return 'placed';
  return payment?.status === 'failed' ? 'PAYMENT_DECLINED' : 'waiting';
}

/** One shopper: a cart of one unit, and the order of it. */
async function shop(work: CheckoutWork, at: number): Promise<string> {
  try {
    if (work.only !== 'order') await fill(work, at);
    return work.only === 'fill' ? 'filled' : await order(work, at);
  } catch (error) {
    if (error instanceof AppError) return String(error.details.reason ?? error.code);
    return String(error);
  }
}

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const work = JSON.parse(line) as CheckoutWork;
  const outcomes = await Promise.all(Array.from({ length: work.shoppers }, (_, at) => shop(work, at)));
  const tally: Record<string, number> = {};
  for (const one of outcomes) tally[one] = (tally[one] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify(tally)}\n`);
}
await instance.close();
