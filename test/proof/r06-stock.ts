// R6: the last units are sold once each; whoever comes too late is not charged, and a charge whose answer was lost is
// found again.
import { setTimeout as sleep } from 'node:timers/promises';
import { StripeServer } from '../support/processors/stripe-server.ts';
import { createWallClock, findFaketime } from './parts/faketime.ts';
import type { Complaints, Outcome, Proof, ProofBench } from './parts/proof.ts';
import { openReader, type Reader } from './parts/reader.ts';
import { compareCharges, compareTold, type Level, levelOf, soldTo } from './parts/shop-books.ts';
import { openSides, rush, type Sides, type Tally } from './parts/shop-sides.ts';
import { askShopDoctor, openStorefront, PRICE_CENTS, payingBy, runJobs, under } from './parts/storefront.ts';
import { openTill, THE_VARIANT, type TillFault, tillFaults } from './parts/till.ts';

const UNITS = 100;
const SHOPPERS = 1000;
/** Charges that are made, and of which the shop hears nothing. */
const LOST = 10;
const FAULT_SHARE = 10;
const SAMPLE_MS = 5;
/** After so long it is asked what became of a charge. */
const QUIET_SECONDS = 300;
const OUTCOMES = ['placed', 'waiting', 'OUT_OF_STOCK'];
const NAME = 'last-units';

/** How much there is, and how many want it. */
interface Size {
  units: number;
  shoppers: number;
  lost: number;
}

/** What was seen from outside. */
interface Seen {
  tally: Tally;
  /** The least that was available at any time. */
  lowest: number;
  samples: number;
}

const sizeOf = (share: number): Size => ({
  units: UNITS / share,
  shoppers: SHOPPERS / share,
  lost: LOST / share,
});

/** Everybody orders at once, while a third connection looks at the stock. */
async function race(
  sides: Sides,
  reader: Reader,
  stripe: StripeServer,
  variantId: string,
  { shoppers, lost }: Size,
): Promise<Seen> {
  const seen: Seen = { tally: {}, lowest: Number.POSITIVE_INFINITY, samples: 0 };
  stripe.next('done_then_drop', lost);
  let isOver = false;
  const look = async (): Promise<void> => {
    while (!isOver) {
      const { on_hand, reserved } = await levelOf(reader, variantId);
      seen.lowest = Math.min(seen.lowest, on_hand - reserved, on_hand);
      seen.samples += 1;
      await sleep(SAMPLE_MS);
    }
  };
  const looking = look();
  seen.tally = await rush(sides, { name: NAME, variantId }, shoppers).finally(() => {
    isOver = true;
  });
  await looking;
  return seen;
}

async function run(bench: ProofBench): Promise<Outcome> {
  const size = sizeOf(bench.quick ? FAULT_SHARE : 1);
  const stripe = await StripeServer.open();
  const shop = await openStorefront(bench, 'sold-out', payingBy(stripe));
  const { installation, server } = shop;
  const variantId = await shop.stocked(NAME, size.units);
  const reader = await openReader(installation);
  const { sides } = await openSides(bench, shop, size.shoppers);
  try {
    const seen = await race(sides, reader, stripe, variantId, size).finally(() =>
      Promise.all(sides.map((side) => side.stop())),
    );
    const clock = createWallClock(bench.folder);
    clock.step(QUIET_SECONDS);
    // Twice: what was found is not found again.
    await runJobs(under(installation.launch, clock), 'sync-payments', 'sync-payments');
    const broken = await askShopDoctor(installation);
    const told = await compareTold(reader, await soldTo(reader, NAME), 'order_confirmation');
    return await judge(reader, stripe, variantId, size, seen, [broken, told], server.output());
  } finally {
    await reader.close();
    await stripe.close();
  }
}

async function judge(
  reader: Reader,
  stripe: StripeServer,
  variantId: string,
  { units, shoppers, lost }: Size,
  { tally, lowest, samples }: Seen,
  more: readonly Complaints[],
  output: string,
): Promise<Outcome> {
  const sold = await soldTo(reader, NAME);
  const level = await levelOf(reader, variantId);
  const charges = stripe.charges();
  const compared = await compareCharges(reader, charges);
  const wrong = Object.entries(tally).filter(([outcome]) => !OUTCOMES.includes(outcome));
  const busy = [...wrong.flat(), output].join('\n').match(/SQLITE_BUSY|database is locked/g)?.length ?? 0;
  const figures = {
    shoppers,
    orders: sold.length,
    numbers: new Set(sold.map(({ order_number }) => order_number)).size,
    refused: tally.OUT_OF_STOCK ?? 0,
    lost_answers: tally.waiting ?? 0,
    charges: charges.length,
    on_hand: level.on_hand,
    lowest,
    samples,
    wrong_answers: wrong.reduce((sum, [, n]) => sum + n, 0),
    busy,
    broken: [compared, ...more].reduce((sum, { count }) => sum + count, 0),
  };
  const notes = [compared, ...more].flatMap((one) => one.notes);
  for (const [outcome, n] of wrong) notes.push(`${n} were answered ${outcome}`);
  const unless = (holds: boolean, note: string) => void (holds || notes.push(note));
  unless(figures.orders === units && figures.numbers === units, `${sold.length} orders of ${units} units`);
  unless(figures.refused === shoppers - units, `${figures.refused} were told that nothing is left`);
  unless(figures.lost_answers === lost, `${figures.lost_answers} answers were lost, not ${lost}`);
  unless(charges.length === units, `${charges.length} were charged`);
  unless(stripe.balanceCents() === units * PRICE_CENTS, `${stripe.balanceCents()} cents were taken`);
  unless(isSoldOut(level) && lowest === 0, `stock: ${JSON.stringify(level)}, at least ${lowest}`);
  unless(busy === 0, 'SQLite was busy');
  return { figures, passed: notes.length === 0, notes };
}

const isSoldOut = ({ on_hand, reserved, moved }: Level): boolean =>
  on_hand === 0 && reserved === 0 && moved === 0;

/** A till with one fault, judged by the same eyes. It asks for lost answers at once, so that it keeps nobody waiting. */
const withFault =
  (fault: TillFault) =>
  async (bench: ProofBench): Promise<Outcome> => {
    const size = sizeOf(FAULT_SHARE);
    const stripe = await StripeServer.open();
    const till = await openTill(bench, stripe, fault, size);
    try {
      const seen = await race(till.sides, till.reader, stripe, THE_VARIANT, size);
      return await judge(till.reader, stripe, THE_VARIANT, { ...size, lost: 0 }, seen, [], '');
    } finally {
      await till.close();
      await stripe.close();
    }
  };

export const r06: Proof = {
  id: 'R06',
  databases: ['sqlite', 'postgres'],
  requireTools: () => void findFaketime(),
  faults: Object.fromEntries(tillFaults.stock.map((fault) => [fault, withFault(fault)])),
  run,
};
