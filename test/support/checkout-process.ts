// A process that opens the installation which the environment names and orders carts beside other processes: each line of work is a variant and how many shoppers want one unit of it.
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
}

const ways = () => ({ returnUrl: 'http://localhost/return', cancelUrl: 'http://localhost/return' });

const { config } = await loadConfig();
const instance = await openInstance({
  config,
  log: logTo({ write: () => undefined }, 'silent'),
  mode: 'use',
});
const { ctx } = instance;

/** One shopper: a cart of one unit, and the order of it. @returns `placed`, or why not */
async function shop({ name, variantId, code }: CheckoutWork, at: number): Promise<string> {
  const owner = { customerId: null, sessionKey: `${name}-${process.pid}-${at}`.padEnd(64, '-').slice(0, 64) };
  try {
    await carts.add(ctx, owner, { variantId, quantity: 1 });
    if (code !== undefined) await carts.enterCode(ctx, owner, code);
    await carts.writeExisting(ctx, owner, { email: `${name}-${process.pid}-${at}@x.test` });
    const input = { processor: 'offline', sourceId: null, termsAccepted: true };
    await placeOrder(ctx, owner, input, ways);
    return 'placed';
  } catch (error) {
    if (error instanceof AppError) return String(error.details.reason ?? error.message);
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
