// A process that opens the installation which the environment names and takes part in merging customers. Each line of stdin
// is a MergeWork; each is answered with a tally of what came of it.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import { merge } from '#storefront/buying/customer-desk/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { countOrder } from '#storefront/people/customers/index.ts';
import { openInstance } from '../../src/app/instance.ts';

/** What this process does at once. */
export interface MergeWork {
  /** Pairs of customers: the second one is merged into the first one. */
  readonly merges: readonly (readonly [target: string, source: string])[];
  /** Orders that are counted with a customer as one that is placed is. */
  readonly placed: readonly { readonly order: string; readonly customer: string }[];
}

const { config } = await loadConfig();
const instance = await openInstance({
  config,
  log: logTo({ write: () => undefined }, 'silent'),
  mode: 'use',
});
const { ctx } = instance;

async function outcome(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'done';
  } catch (error) {
    if (!(error instanceof AppError)) return String(error);
    return String((error.details as { reason?: string }).reason ?? error.code);
  }
}

/** What placing an order does with its customer (orders/payments/placing.ts). */
const place = (order: string, customer: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    await orders.lock(ctx, order);
    const owner = await countOrder(ctx, customer, 1, 100);
    if (owner !== customer) await orders.giveTo(ctx, order, owner);
  });

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { merges, placed } = JSON.parse(line) as MergeWork;
  const outcomes = await Promise.all([
    ...merges.map(([target, source]) => outcome(() => merge(ctx, target, source))),
    ...placed.map(({ order, customer }) => outcome(() => place(order, customer))),
  ]);
  const tally: Record<string, number> = {};
  for (const one of outcomes) tally[one] = (tally[one] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify(tally)}\n`);
}
await instance.close();
