// A process that opens the installation which the environment names and takes part in a fight for promotions. Each line of
// stdin is a RedeemWork; each is answered with a tally of what came of it.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import { release, take, type Use, use } from '#storefront/pricing/promotions/index.ts';
import { openInstance } from '../../src/app/instance.ts';

/** Orders of this process; each takes the uses. */
export interface RedeemWork {
  readonly orders: readonly string[];
  readonly uses: readonly Use[];
  /** The address of each order; one of its own when absent. */
  readonly email?: string;
  /** What becomes of an order that has taken them. */
  readonly next: 'nothing' | 'use' | 'release' | 'both';
}

const { config } = await loadConfig();
const instance = await openInstance({
  config,
  log: logTo({ write: () => undefined }, 'silent'),
  mode: 'use',
});
const { ctx } = instance;

async function order(orderId: string, { uses, next, email }: RedeemWork): Promise<string> {
  try {
    await take(ctx, { orderId, customerId: null, emailNorm: email ?? `${orderId}@x.test` }, uses);
    if (next === 'use') await use(ctx, orderId);
    if (next === 'release') await release(ctx, orderId);
    if (next === 'both') await Promise.all([release(ctx, orderId), use(ctx, orderId), release(ctx, orderId)]);
    return 'done';
  } catch (error) {
    if (!(error instanceof AppError)) return String(error);
    return String((error.details as { reason?: string }).reason ?? error.code);
  }
}

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const work = JSON.parse(line) as RedeemWork;
  const outcomes = await Promise.all(work.orders.map((id) => order(id, work)));
  const tally: Record<string, number> = {};
  for (const outcome of outcomes) tally[outcome] = (tally[outcome] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify(tally)}\n`);
}
await instance.close();
