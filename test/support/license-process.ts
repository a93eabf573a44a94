// A process that opens the installation which the environment names and takes part in what happens to paid orders with
// licenses. Each line of stdin is a LicenseWork; each is answered with a tally of what came of it.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import * as payments from '#storefront/orders/payments/index.ts';
import { openInstance } from '../../src/app/instance.ts';
import { type Deed, doWith } from '../../src/fulfilment/desk/changes.ts';
import { retryOrder } from '../../src/fulfilment/minting/index.ts';

/** What this process does at once. */
export interface LicenseWork {
  /** Orders of which the whole money is recorded. */
  readonly pays?: readonly { readonly order: string; readonly cents: number }[];
  /** Orders of which what is missing is made. */
  readonly retries?: readonly string[];
  /** What staff do with licenses of units. */
  readonly deeds?: readonly { readonly mint: string; readonly deed: Deed }[];
  /** One unit of a line goes back. */
  readonly refunds?: readonly { readonly order: string; readonly item: string; readonly key: string }[];
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
    return error instanceof AppError ? error.code : String(error);
  }
}

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { pays = [], retries = [], deeds = [], refunds = [] } = JSON.parse(line) as LicenseWork;
  const outcomes = await Promise.all([
    ...pays.map(({ order, cents }) =>
      outcome(() => payments.record(ctx, order, { amountCents: cents, method: 'cash' })),
    ),
    ...retries.map((order) => outcome(() => retryOrder(ctx, order))),
    ...deeds.map(({ mint, deed }) => outcome(() => doWith(ctx, mint, deed, 'asked by phone'))),
    ...refunds.map(({ order, item, key }) =>
      outcome(() =>
        payments.refund(ctx, order, {
          items: [{ orderItemId: item, quantity: 1 }],
          reason: 'returned',
          notify: false,
          key,
        }),
      ),
    ),
  ]);
  const tally: Record<string, number> = {};
  for (const one of outcomes) tally[one] = (tally[one] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify(tally)}\n`);
}
await instance.close();
