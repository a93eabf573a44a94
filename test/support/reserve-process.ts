// A process that opens the installation which the environment names and takes part in a fight for stock. Each line of
// stdin is a ReserveWork; each is answered with a tally of what came of it.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import { consume, expire, release, reserve } from '#storefront/catalog/inventory/index.ts';
import { openInstance } from '../../src/app/instance.ts';

/** Orders of this process; each asks for some units of the variants. */
export interface ReserveWork {
  readonly orders: readonly string[];
  readonly variantIds: readonly string[];
  /** What becomes of an order that has its stock. */
  readonly next: 'nothing' | 'consume' | 'release' | 'both';
}

const { config } = await loadConfig();
const instance = await openInstance({
  config,
  log: logTo({ write: () => undefined }, 'silent'),
  mode: 'use',
});
const { ctx } = instance;

async function order(id: string, { variantIds, next }: ReserveWork): Promise<string> {
  const items = variantIds.map((variantId, at) => ({ orderItemId: `${id}-${at}`, variantId, quantity: 1 }));
  try {
    await reserve(ctx, id, items, '2100-01-01T00:00:00.000Z');
    if (next === 'consume') await consume(ctx, id);
    if (next === 'release') await release(ctx, id);
    // Whoever comes first settles it, and the other one finds nothing.
    if (next === 'both')
      await Promise.all([consume(ctx, id), release(ctx, id), consume(ctx, id), expire(ctx)]);
    return 'done';
  } catch (error) {
    if (!(error instanceof AppError)) return String(error);
    return String((error.details as { reason?: string }).reason ?? error.code);
  }
}

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const work = JSON.parse(line) as ReserveWork;
  const outcomes = await Promise.all(work.orders.map((id) => order(id, work)));
  const tally: Record<string, number> = {};
  for (const outcome of outcomes) tally[outcome] = (tally[outcome] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify(tally)}\n`);
}
await instance.close();
