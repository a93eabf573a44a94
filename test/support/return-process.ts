// A process that opens the installation which the environment names and clicks on returns beside other processes. Each line of
// stdin is a ReturnWork; each is answered with a tally of what came of it.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import { exchange } from '#storefront/buying/exchanges/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import * as returns from '#storefront/orders/returns/index.ts';
import { openInstance } from '../../src/app/instance.ts';

/** The same click, so many times at once. */
export interface ReturnWork {
  readonly step: 'request' | 'request-once' | 'approve' | 'receive' | 'refund' | 'exchange' | 'cancel';
  /** Of the return; of the order, when one is asked for. */
  readonly id: string;
  /** Line of the order or item of the return. */
  readonly item: string;
  readonly quantity: number;
  /** Of the goods in exchange. */
  readonly variantId?: string;
  readonly clicks: number;
}

const { config } = await loadConfig();
const instance = await openInstance({
  config,
  log: logTo({ write: () => undefined }, 'silent'),
  mode: 'use',
});
const { ctx } = instance;

const REASON = `rrs_${'5'.padStart(26, '0')}`;

async function ask({ id, item, quantity, step }: ReturnWork): Promise<unknown> {
  const items = [{ orderItemId: item, quantity, reasonId: REASON }];
  const onceKey = step === 'request-once' ? 'the-form' : undefined;
  const order = await orders.get(ctx, id);
  return returns.request(ctx, order, { items, resolution: 'refund', onceKey }, { by: 'customer' });
}

const steps: Record<ReturnWork['step'], (work: ReturnWork) => Promise<unknown>> = {
  request: ask,
  'request-once': ask,
  approve: ({ id }) => returns.approve(ctx, id),
  receive: ({ id, item, quantity }) =>
    returns.receive(ctx, id, [{ id: item, receivedQuantity: quantity, condition: 'new' }]),
  refund: ({ id }) => returns.refund(ctx, id),
  exchange: ({ id, quantity, variantId = '' }) => exchange(ctx, id, [{ variantId, quantity }]),
  cancel: ({ id }) => returns.cancel(ctx, id),
};

async function click(work: ReturnWork): Promise<string> {
  try {
    await steps[work.step](work);
    return 'done';
  } catch (error) {
    if (error instanceof AppError) return String(error.details.reason ?? error.code);
    return String(error);
  }
}

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const work = JSON.parse(line) as ReturnWork;
  const outcomes = await Promise.all(Array.from({ length: work.clicks }, () => click(work)));
  const tally: Record<string, number> = {};
  for (const one of outcomes) tally[one] = (tally[one] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify(tally)}\n`);
}
await instance.close();
