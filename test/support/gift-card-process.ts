// A process that opens the installation which the environment names and takes part in a fight for gift cards. Each line of
// stdin is a GiftCardWork; each is answered with a tally of what came of it.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import { giveBack, hold, reverse, spend } from '#storefront/pricing/gift-cards/index.ts';
import { openInstance } from '../../src/app/instance.ts';

/** Orders of this process; each holds the amount of each card, in the order of their ids. */
export interface GiftCardWork {
  readonly orders: readonly string[];
  readonly cards: readonly string[];
  readonly amountCents: number;
  /** What becomes of an order that holds them. */
  readonly next: 'nothing' | 'spend' | 'giveBack' | 'both' | 'reverse';
}

const { config } = await loadConfig();
const instance = await openInstance({
  config,
  log: logTo({ write: () => undefined }, 'silent'),
  mode: 'use',
});
const { ctx } = instance;

type Step = (part: { giftCardId: string; orderId: string; amountCents: number }) => Promise<unknown>;

/** Once more than it is needed: each step counts once. */
const steps: Record<GiftCardWork['next'], Step> = {
  nothing: async () => undefined,
  spend: (part) => Promise.allSettled([spend(ctx, part), spend(ctx, part)]),
  giveBack: (part) => Promise.all([giveBack(ctx, part), giveBack(ctx, part)]),
  both: (part) => Promise.allSettled([giveBack(ctx, part), spend(ctx, part), giveBack(ctx, part)]),
  async reverse(part) {
    await spend(ctx, part);
    await Promise.allSettled([reverse(ctx, part), reverse(ctx, part)]);
  },
};

async function order(orderId: string, { cards, amountCents, next }: GiftCardWork): Promise<string> {
  const parts = cards.toSorted().map((giftCardId) => ({ giftCardId, orderId, amountCents }));
  try {
    await ctx.tx(async (ctx) => {
      for (const part of parts) await hold(ctx, part);
    });
    for (const part of parts) await steps[next](part);
    return 'done';
  } catch (error) {
    if (!(error instanceof AppError)) return String(error);
    return String((error.details as { reason?: string }).reason ?? error.code);
  }
}

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const work = JSON.parse(line) as GiftCardWork;
  const outcomes = await Promise.all(work.orders.map((id) => order(id, work)));
  const tally: Record<string, number> = {};
  for (const outcome of outcomes) tally[outcome] = (tally[outcome] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify(tally)}\n`);
}
await instance.close();
