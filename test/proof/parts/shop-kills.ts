// A shop that is killed while it sells, by a processor that fails in every way: what was taken is in the books, what was
// promised is there, and nothing that was held stays away.
import { setTimeout as sleep } from 'node:timers/promises';
import { newShopper, type PlacedShown } from '../../storefront/shopper.ts';
import type { HttpReply, Sent } from '../../support/http-client.ts';
import type { Switch } from '../../support/processors/loopback.ts';
import { StripeServer } from '../../support/processors/stripe-server.ts';
import { type Client, createClient } from './client.ts';
import { startTimed } from './killer.ts';
import { Complaints, type ProofBench } from './proof.ts';
import type { Random } from './random.ts';
import { outcomeOf, sendBy } from './shop-sides.ts';
import { openStorefront, payingBy, type Storefront } from './storefront.ts';

/** How much is sold, and how often it is interrupted. */
export interface Selling {
  readonly orders: number;
  readonly kills: number;
}

/** A shop after all that, which does not run. */
export interface Survivor {
  readonly shop: Storefront;
  readonly stripe: StripeServer;
  readonly variantId: string;
  /** Of that variant, at the start. */
  readonly units: number;
  /** Numbers of orders by what their buyers were told last. */
  readonly told: ReadonlyMap<string, 'placed' | 'waiting'>;
  readonly refusals: Complaints;
  readonly readyMs: readonly number[];
}

const BUYERS = 16;
const FAULTS: readonly [Switch, ...Switch[]] = [
  'done_then_drop',
  'drop',
  'server_error',
  'nonsense',
  'decline',
];
/** Before each kill. */
const FAULTS_EACH = 3;
const CODE = 'OFTEN';
/** A kill comes so long after its moment, in milliseconds. */
const LATEST_MS = 60;
const PATIENCE_MS = 3000;
const EXPECTED = ['placed', 'waiting', 'PAYMENT_DECLINED', 'PAYMENT_IN_PROGRESS'];

/** Who is asked at the moment: a server that is gone is waited for. */
class Counter {
  #client = Promise.withResolvers<Client>();
  isOver = false;

  open(url: string): void {
    this.#client.resolve(createClient(url, 2 * BUYERS));
  }
  async close(): Promise<void> {
    const client = await this.#client.promise;
    this.#client = Promise.withResolvers();
    client.close();
  }
  /** Asks until it is answered. */
  send = async (path: string, sent?: Sent): Promise<HttpReply> => {
    for (;;) {
      const client = await this.#client.promise;
      try {
        return await sendBy(client)(path, sent);
      } catch (error) {
        // The server is gone; anything else is a fault of the proof.
        if ((error as NodeJS.ErrnoException).code === undefined) throw error;
        await sleep(1);
      }
    }
  };
}

class Crowd {
  readonly told = new Map<string, 'placed' | 'waiting'>();
  readonly refusals = new Complaints();
  begun = 0;
  ended = 0;
  /** So many may begin by now: there have to be some at each kill. */
  allowed = 0;
  readonly #counter: Counter;
  readonly #variantId: string;
  readonly #giftCard: string;
  readonly #random: Random;

  constructor(counter: Counter, variantId: string, giftCard: string, random: Random) {
    this.#counter = counter;
    this.#variantId = variantId;
    this.#giftCard = giftCard;
    this.#random = random;
  }

  /** Buyers one after the other, until there were so many. */
  async come(most: number): Promise<void> {
    while (this.begun < most) {
      if (this.begun >= this.allowed) {
        await sleep(1);
        continue;
      }
      this.begun += 1;
      await this.#buy(`buyer-${this.begun}@x.test`);
      this.ended += 1;
    }
  }

  async #buy(email: string): Promise<void> {
    const die = this.#random.below(100);
    const shopper = await newShopper({ send: this.#counter.send });
    await shopper.data('/cart/add', { variant_id: this.#variantId, quantity: 1 });
    if (die < 30) await shopper.data('/cart/coupon', { code: CODE });
    if (die >= 20 && die < 50) await shopper.data('/cart/gift-card', { code: this.#giftCard });
    const body = { email, processor: 'stripe', source_id: 'pm_card_visa' };
    // Refused at first, many try another card, and some send their form twice.
    const tries = 1 + this.#random.below(3);
    for (let tried = 0; tried < tries; tried++) {
      const reply = await shopper.post('/checkout', body);
      const outcome = outcomeOf(reply);
      const isExpected = EXPECTED.includes(outcome);
      this.refusals.unless(isExpected, () => `a checkout was answered ${reply.status}: ${reply.text}`);
      if (outcome !== 'placed' && outcome !== 'waiting') continue;
      this.told.set(String((reply.body.data as unknown as PlacedShown).order.order_number), outcome);
    }
  }
}

/** Reports of the processor arrive, or get lost. */
async function reportOn(stripe: StripeServer, counter: Counter, random: Random): Promise<void> {
  const path = '/api/store/payments/webhook/stripe';
  for (let next = 0; !counter.isOver || next < stripe.events.length; ) {
    const event = stripe.events[next];
    if (!event) {
      await sleep(5);
      continue;
    }
    next += 1;
    if (random.below(2) === 0) continue;
    const { body, headers } = stripe.signed(event);
    const sent = { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } };
    const { status, text } = await counter.send(path, sent);
    if (status !== 200) throw new Error(`a report was answered ${status}: ${text}`);
  }
}

/** Waits for something, but not for ever. */
async function patiently(holds: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!holds() && performance.now() < end) await sleep(1);
}

/** Sells, and is killed: every other time at once when the processor has been asked, whose answer it may not have read. */
async function interrupt(
  { installation }: Storefront,
  stripe: StripeServer,
  counter: Counter,
  crowd: Crowd,
  random: Random,
  { orders, kills }: Selling,
): Promise<number[]> {
  const readyMs: number[] = [];
  const each = orders / kills;
  for (let kill = 0; kill < kills; kill++) {
    for (let fault = 0; fault < FAULTS_EACH; fault++) stripe.next(random.pick(FAULTS));
    const { server, ms } = await startTimed(installation.launch);
    readyMs.push(ms);
    crowd.allowed = Math.ceil((kill + 1) * each);
    counter.open(server.url);
    await patiently(() => crowd.ended >= (kill + 0.5) * each);
    const asked = stripe.calls.length;
    if (kill % 2 === 0) await patiently(() => stripe.calls.length > asked);
    else await sleep(random.below(LATEST_MS));
    await server.kill();
    await counter.close();
  }
  return readyMs;
}

/** Opens a shop and sells. */
export async function sellUnderKills(bench: ProofBench, selling: Selling): Promise<Survivor> {
  const { random } = bench;
  const stripe = await StripeServer.open();
  const shop = await openStorefront(bench, 'interrupted', payingBy(stripe));
  const units = 4 * selling.orders;
  const variantId = await shop.stocked('interrupted', units);
  await shop.license(variantId);
  const coupon = { name: 'Often', code: CODE, type: 'coupon', effect: 'percent', percent_bps: 1000 };
  await shop.make('/promotions', { ...coupon, status: 'active' });
  const card = await shop.make('/gift-cards', { amount_cents: 1_000_000 });
  await shop.server.stop();
  const counter = new Counter();
  const crowd = new Crowd(counter, variantId, String(card.code), random);
  const coming = Promise.all(Array.from({ length: BUYERS }, () => crowd.come(selling.orders)));
  const reporting = reportOn(stripe, counter, random);
  // Whoever fails first ends it all.
  const readyMs = await Promise.race([
    interrupt(shop, stripe, counter, crowd, random, selling),
    Promise.all([coming, reporting]).then(() =>
      Promise.reject(new Error('everybody left before the last kill')),
    ),
  ]);
  const { server } = await startTimed(shop.installation.launch);
  counter.open(server.url);
  await coming;
  counter.isOver = true;
  await reporting;
  await counter.close();
  await server.stop();
  return { shop, stripe, variantId, units, told: crowd.told, refusals: crowd.refusals, readyMs };
}
