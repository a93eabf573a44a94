// R7: what is worth money is spent once: the last use of a code, a gift card that many reach for, and every payment,
// however often and in whatever order its news come.
import { StripeServer } from '../support/processors/stripe-server.ts';
import { createWallClock, findFaketime } from './parts/faketime.ts';
import { Complaints, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';
import { openReader, type Reader } from './parts/reader.ts';
import { compareCharges, compareTold, soldTo } from './parts/shop-books.ts';
import { openSides, rush, type Sides, type Tally } from './parts/shop-sides.ts';
import {
  askShopDoctor,
  openStorefront,
  PRICE_CENTS,
  payingBy,
  runJobs,
  type Storefront,
  under,
} from './parts/storefront.ts';
import { type Contents, openTill, THE_CARD, THE_CODE, THE_VARIANT, type TillFault } from './parts/till.ts';
import { FATES, tellOften, type World } from './parts/told-often.ts';

const CARD_CENTS = 5000;
const OFF_BPS = 1000;
const DISCOUNTED_CENTS = PRICE_CENTS - (PRICE_CENTS * OFF_BPS) / 10_000;
/** So many pay with the one card at once. */
const CARD_RACERS = 20;
const QUIET_SECONDS = 300;

/** How many take part. */
interface Size {
  codes: number;
  numbers: number;
  payments: number;
}
const whole: Size = { codes: 200, numbers: 200, payments: 100 };
const tenth: Size = { codes: 20, numbers: 20, payments: 12 };

/** What is raced for, and where the result is read. */
interface Scene {
  readonly sides: Sides;
  readonly reader: Reader;
  readonly variantId: string;
}

type Figures = Record<string, number>;
/** What one race found. */
interface Found {
  readonly figures: Figures;
  readonly wrong: Complaints;
}

const count = (tally: Tally, ...outcomes: readonly string[]): number =>
  outcomes.reduce((sum, outcome) => sum + (tally[outcome] ?? 0), 0);

/** The last use of a code: one order has it, and nobody pays another total than they saw. */
async function raceForCode(
  { sides, reader, variantId }: Scene,
  code: string,
  promotionId: string,
  racers: number,
): Promise<Found> {
  const wish = { name: 'code', variantId, code, expectedTotalCents: DISCOUNTED_CENTS };
  const tally = await rush(sides, wish, racers);
  const uses = await reader.all(
    "SELECT order_id FROM promotion_redemptions WHERE promotion_id = ? AND status = 'used'",
    promotionId,
  );
  const sold = await soldTo(reader, 'code');
  const lost = count(tally, 'PROMOTION_EXHAUSTED', 'TOTAL_CHANGED');
  const wrong = new Complaints();
  wrong.unless(uses.length === 1, () => `a code for one order was used ${uses.length} times`);
  wrong.unless(
    sold.length === 1 && tally.placed === 1,
    () => `${sold.length} orders: ${JSON.stringify(tally)}`,
  );
  wrong.unless(lost === racers - 1, () => `the others were answered ${JSON.stringify(tally)}`);
  return { figures: { racers, uses: uses.length }, wrong };
}

/** A card pays what is on it. @param onlyByCard without another way to pay the rest */
async function raceForCard(
  { sides, reader, variantId }: Scene,
  name: string,
  giftCard: string,
  cardId: string,
  onlyByCard: boolean,
): Promise<Found> {
  const tally = await rush(sides, { name, variantId, giftCard, onlyByCard }, CARD_RACERS);
  const [card] = await reader.all<{ balance_cents: number; held_cents: number }>(
    'SELECT balance_cents, held_cents FROM gift_cards WHERE id = ?',
    cardId,
  );
  const [ledger] = await reader.all<{ sum: number; spent: number }>(
    "SELECT sum(delta_cents) AS sum, -sum(CASE WHEN type = 'redeem' THEN delta_cents ELSE 0 END) AS spent FROM gift_card_ledger WHERE gift_card_id = ?",
    cardId,
  );
  const sold = await soldTo(reader, name);
  const paid = sold.reduce((sum, { paid_cents }) => sum + paid_cents, 0);
  const { sum = Number.NaN, spent = Number.NaN } = ledger ?? {};
  const wrong = new Complaints();
  wrong.unless(spent <= CARD_CENTS, () => `${spent} were spent of a card of ${CARD_CENTS}`);
  wrong.unless(card?.balance_cents === sum, () => `balance ${card?.balance_cents}, ledger ${sum}`);
  wrong.unless(
    (card?.balance_cents ?? -1) >= 0 && card?.held_cents === 0,
    () => `left: ${JSON.stringify(card)}`,
  );
  const due = sold.length * PRICE_CENTS;
  wrong.unless(spent + paid === due, () => `${spent} by card and ${paid} otherwise for orders of ${due}`);
  wrong.unless(tally.placed === sold.length, () => `${sold.length} orders: ${JSON.stringify(tally)}`);
  const least = Math.floor(CARD_CENTS / PRICE_CENTS);
  wrong.unless(sold.length >= least, () => `${sold.length} orders with a card for ${least}`);
  return { figures: { [`${name}_orders`]: sold.length, [`${name}_spent`]: spent }, wrong };
}

/** Orders at the same moment have numbers of their own. */
async function raceForNumbers({ sides, reader, variantId }: Scene, orders: number): Promise<Found> {
  const tally = await rush(sides, { name: 'number', variantId }, orders);
  const sold = await soldTo(reader, 'number');
  const numbers = new Set(sold.map(({ order_number }) => order_number)).size;
  const wrong = new Complaints();
  wrong.unless(
    tally.placed === orders && numbers === orders,
    () => `${numbers} numbers: ${JSON.stringify(tally)}`,
  );
  return { figures: { orders, numbers }, wrong };
}

/** Each payment is taken once, places its order once, and is told of once. */
async function tell(reader: Reader, world: World, payments: number): Promise<Found> {
  const fates = Array.from(
    { length: payments },
    (_, at) => FATES[at % FATES.length] as (typeof FATES)[number],
  );
  const { wrong, told } = await tellOften(world, 'told', fates);
  const sold = await soldTo(reader, 'told');
  const emails = new Set(sold.map(({ email }) => email)).size;
  wrong.unless(
    sold.length === payments && emails === payments,
    () => `${sold.length} orders of ${payments} shoppers`,
  );
  return { figures: { payments, told, placed: sold.length }, wrong };
}

async function run(bench: ProofBench): Promise<Outcome> {
  const size = bench.quick ? tenth : whole;
  const stripe = await StripeServer.open();
  const shop = await openStorefront(bench, 'scarce', payingBy(stripe));
  const variantId = await shop.stocked('plenty', 10_000);
  const reader = await openReader(shop.installation);
  const racers = Math.max(size.codes, size.numbers);
  const { sides, urls } = await openSides(bench, shop, racers);
  const scene = { sides, reader, variantId };
  const found: Found[] = [];
  try {
    found.push(await raceForCode(scene, 'ONCE', await makeCode(shop), size.codes));
    for (const [name, onlyByCard] of [
      ['card', true],
      ['split', false],
    ] as const) {
      const { id, code } = await shop.make('/gift-cards', { amount_cents: CARD_CENTS });
      found.push(await raceForCard(scene, name, String(code), id, onlyByCard));
    }
    found.push(await raceForNumbers(scene, size.numbers));
    const world = { stripe, urls, variantId, random: bench.random };
    found.push(await tell(reader, world, size.payments));
    await Promise.all(sides.map((side) => side.stop()));
    const clock = createWallClock(bench.folder);
    clock.step(QUIET_SECONDS);
    // Whoever asks once more finds nothing new.
    await runJobs(under(shop.installation.launch, clock), 'sync-payments', 'handle-processor-events');
    const sold = await soldTo(reader, '');
    const checks = [
      await askShopDoctor(shop.installation),
      await compareTold(reader, sold, 'order_confirmation'),
    ];
    return await judge(reader, stripe, found, checks);
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
    await reader.close();
    await stripe.close();
  }
}

async function makeCode(shop: Storefront): Promise<string> {
  const limits = { usage_limit: 1, status: 'active' };
  const promotion = {
    name: 'Once',
    code: 'ONCE',
    type: 'coupon',
    effect: 'percent',
    percent_bps: OFF_BPS,
    ...limits,
  };
  return (await shop.make('/promotions', promotion)).id;
}

async function judge(
  reader: Reader,
  stripe: StripeServer,
  found: readonly Found[],
  checks: readonly Complaints[],
): Promise<Outcome> {
  const charges = stripe.charges();
  const all = [...found.map(({ wrong }) => wrong), await compareCharges(reader, charges), ...checks];
  const broken = all.reduce((sum, one) => sum + one.count, 0);
  const figures = Object.assign({}, ...found.map((one) => one.figures), { charges: charges.length, broken });
  return { figures, passed: broken === 0, notes: all.flatMap(({ notes }) => notes) };
}

type Race = (scene: Scene, world: World) => Promise<Found>;

/** A till with one fault in one race, judged by the same eyes. */
const withFault =
  (fault: TillFault, contents: Contents, race: Race) =>
  async (bench: ProofBench): Promise<Outcome> => {
    const stripe = await StripeServer.open();
    const { sides, reader, urls, close } = await openTill(bench, stripe, fault, contents);
    try {
      const world = { stripe, urls, variantId: THE_VARIANT, random: bench.random };
      const found = await race({ sides, reader, variantId: THE_VARIANT }, world);
      const told = await compareTold(reader, await soldTo(reader, 'told'), 'order_confirmation');
      return await judge(reader, stripe, [found], [told]);
    } finally {
      await close();
      await stripe.close();
    }
  };

const many = { shoppers: tenth.codes };

export const r07: Proof = {
  id: 'R07',
  databases: ['sqlite', 'postgres'],
  requireTools: () => void findFaketime(),
  faults: {
    'uses-after-counting': withFault('uses-after-counting', many, (scene) =>
      raceForCode(scene, THE_CODE, THE_CODE, tenth.codes),
    ),
    'spends-after-looking': withFault('spends-after-looking', { ...many, cardCents: CARD_CENTS }, (scene) =>
      raceForCard(scene, 'card', THE_CARD, THE_CARD, true),
    ),
    'numbers-after-looking': withFault('numbers-after-looking', many, (scene) =>
      raceForNumbers(scene, tenth.numbers),
    ),
    'places-per-report': withFault('places-per-report', many, async (_scene, world) => {
      const { wrong, told } = await tellOften(world, 'told', ['proved', 'proved', 'proved']);
      return { figures: { told }, wrong };
    }),
  },
  run,
};
