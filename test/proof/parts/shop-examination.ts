// What a shop that was killed owes: the payments whose answers were lost are asked for, and then everything is compared.
import { createWallClock } from './faketime.ts';
import { examineFile } from './invariants.ts';
import { percentile } from './killer.ts';
import { Complaints, type Outcome, type ProofBench } from './proof.ts';
import { openReader, type Reader } from './reader.ts';
import { compareCharges, compareLicenses, compareTold, levelOf, soldTo } from './shop-books.ts';
import type { Survivor } from './shop-kills.ts';
import { askShopDoctor, runJobs, under } from './storefront.ts';

/** After so long a payment that its processor has never seen was never made. */
const NEVER_SENT_SECONDS = 1200;
/** After so long an order that nobody paid has ended. */
const WINDOW_SECONDS = 7200;
/** Each run asks for so many, so that all have been asked. */
const ROUNDS = 3;

const OPEN = "SELECT id FROM payments WHERE status IN ('created', 'requires_action', 'pending')";
const UNPAID =
  'SELECT id FROM orders WHERE placed_at IS NOT NULL AND total_cents <> paid_cents + gift_card_cents - refunded_cents';
const UNITS = `SELECT coalesce(sum(i.quantity), 0) AS n FROM order_items i JOIN orders o ON o.id = i.order_id
  WHERE o.placed_at IS NOT NULL`;
const HELD = `SELECT (SELECT count(*) FROM stock_reservations WHERE status = 'held')
  + (SELECT count(*) FROM gift_card_holds WHERE status = 'held')
  + (SELECT count(*) FROM promotion_redemptions WHERE status = 'held') AS n`;
const KEPT = `SELECT coalesce(sum(captured_cents), 0) - (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE status = 'succeeded') AS n
  FROM payments WHERE kind <> 'gift_card'`;

/** Time passes, in which the jobs of the shop do their work. */
export async function settleAll(bench: ProofBench, { shop }: Survivor): Promise<void> {
  const { launch } = shop.installation;
  const clock = createWallClock(bench.folder);
  for (let round = 0; round < ROUNDS; round++) {
    clock.step(NEVER_SENT_SECONDS);
    await runJobs(under(launch, clock), 'handle-processor-events', 'sync-payments');
  }
  clock.step(WINDOW_SECONDS);
  await runJobs(under(launch, clock), 'expire-unplaced-orders', 'sync-payments');
}

const numberOf = async (reader: Reader, sql: string): Promise<number> =>
  (await reader.all<{ n: number }>(sql))[0]?.n ?? Number.NaN;

/** @param meddle changes the data before it is looked at */
export async function examineShop(
  bench: ProofBench,
  survivor: Survivor,
  meddle: (reader: Reader, survivor: Survivor) => Promise<unknown> = async () => undefined,
): Promise<Outcome> {
  const { shop, stripe, refusals, readyMs } = survivor;
  const reader = await openReader(shop.installation);
  try {
    await meddle(reader, survivor);
    const sold = await soldTo(reader, '');
    const charges = stripe.charges();
    const checks = [
      await compareCharges(reader, charges),
      await compareTold(reader, sold, 'order_confirmation'),
      await compareHeld(reader, survivor),
      await compareLicenses(reader),
      ...(bench.database.kind === 'sqlite' ? [await examineFile(reader)] : []),
      await askShopDoctor(shop.installation),
    ];
    const lost = await compareAcked(reader, survivor);
    const figures = {
      shop_kills: readyMs.length,
      orders: sold.length,
      told: survivor.told.size,
      charges: charges.length,
      shop_lost: lost.count,
      shop_broken: checks.reduce((sum, { count }) => sum + count, 0),
      shop_refused: refusals.count,
      shop_p99_ready_ms: percentile(readyMs, 0.99),
    };
    const notes = [lost, refusals, ...checks].flatMap((one) => one.notes);
    if (sold.length === 0) notes.push('nothing was sold');
    return { figures, passed: notes.length === 0, notes };
  } finally {
    await reader.close();
    await stripe.close();
  }
}

/** Nothing is open or held any more, and stock and money are what the orders say. */
async function compareHeld(reader: Reader, { variantId, units, stripe }: Survivor): Promise<Complaints> {
  const wrong = new Complaints();
  for (const { id } of await reader.all<{ id: string }>(OPEN))
    wrong.unless(false, () => `${id} is still open`);
  for (const { id } of await reader.all<{ id: string }>(UNPAID))
    wrong.unless(false, () => `${id} was placed and is not paid`);
  const level = await levelOf(reader, variantId);
  const left = units - (await numberOf(reader, UNITS));
  const isWhole = level.on_hand === left && level.moved === left && level.reserved === 0;
  wrong.unless(isWhole, () => `stock: ${JSON.stringify(level)}, ${left} must be left`);
  const held = await numberOf(reader, HELD);
  wrong.unless(held === 0, () => `${held} things are held by nobody`);
  const [kept, balance] = [await numberOf(reader, KEPT), stripe.balanceCents()];
  wrong.unless(kept === balance, () => `${kept} in the books, ${balance} at the processor`);
  return wrong;
}

/** What buyers were told: an order that was placed stays so, and one that waited is known. */
async function compareAcked(reader: Reader, { told }: Survivor): Promise<Complaints> {
  const lost = new Complaints();
  const rows = await reader.all<{ order_number: string; placed_at: string | null }>(
    'SELECT order_number, placed_at FROM orders',
  );
  const stored = new Map(rows.map(({ order_number, placed_at }) => [order_number, placed_at]));
  for (const [number, outcome] of told) {
    const placedAt = stored.get(number);
    const isThere = outcome === 'placed' ? typeof placedAt === 'string' : placedAt !== undefined;
    lost.unless(isThere, () => `order ${number}, told to be ${outcome}, is ${placedAt ?? 'not there'}`);
  }
  return lost;
}
