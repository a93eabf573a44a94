// A process that opens the installation which the environment names and tries to pay beside other processes: each line of
// work is who tries, how often, and how often that is declined; the answer tells how many tries were let through.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import { countDecline, countingRefusals, takeTry } from '#storefront/orders/risk/index.ts';
import { openInstance } from '../../src/app/instance.ts';

/** Who tries, and how often. */
export interface TriesWork {
  readonly email: string;
  readonly ip: string;
  readonly tries: number;
  readonly declines: number;
}

const { config } = await loadConfig();
const instance = await openInstance({
  config,
  log: logTo({ write: () => undefined }, 'silent'),
  mode: 'use',
});
const { ctx } = instance;

async function attempt(trier: TriesWork): Promise<string> {
  try {
    await countingRefusals(ctx, () => ctx.tx((ctx) => takeTry(ctx, trier)));
    return 'taken';
  } catch (error) {
    return error instanceof AppError ? String(error.details.reason) : String(error);
  }
}

async function decline(trier: TriesWork): Promise<string> {
  await ctx.tx((ctx) => countDecline(ctx, trier, 'card-of-many'));
  return 'declined';
}

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const work = JSON.parse(line) as TriesWork;
  const outcomes = await Promise.all([
    ...Array.from({ length: work.tries }, () => attempt(work)),
    ...Array.from({ length: work.declines }, () => decline(work)),
  ]);
  const tally: Record<string, number> = {};
  for (const one of outcomes) tally[one] = (tally[one] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify(tally)}\n`);
}
await instance.close();
