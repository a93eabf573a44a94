// Shoppers of two processes who want the same: their carts are filled first, and ordered all at once.
import { newShopper, type PlacedShown, type Shopper } from '../../storefront/shopper.ts';
import type { CheckoutWork } from '../../support/checkout-process.ts';
import type { Answer, HttpReply, Sent } from '../../support/http-client.ts';
import { startRival } from '../../support/rival.ts';
import { type Client, createClient, parallel } from './client.ts';
import { databaseFile } from './databases.ts';
import { type Launch, type RunningServer, startServer } from './processes.ts';
import type { ProofBench } from './proof.ts';
import type { Storefront } from './storefront.ts';

/** How often each outcome came. */
export type Tally = Record<string, number>;

/** One unit each. */
export interface Wish {
  /** With it begin the addresses of its shoppers. */
  readonly name: string;
  readonly variantId: string;
  readonly code?: string;
  /** Code of a gift card. */
  readonly giftCard?: string;
  /** The total that its shoppers saw. */
  readonly expectedTotalCents?: number;
  /** Without another way to pay than the gift card. */
  readonly onlyByCard?: boolean;
}

/** Shoppers of one process. */
export interface ShopSide {
  fill(wish: Wish, shoppers: number): Promise<void>;
  /** Orders the carts that were filled last. `placed`, `waiting` for its money, or the reason of a refusal, of each. */
  order(): Promise<Tally>;
  stop(): Promise<unknown>;
}

export type Sides = readonly [ShopSide, ShopSide];

/** Two sides at work. */
export interface Pair {
  readonly sides: Sides;
  /** Of those that are servers. */
  readonly urls: readonly string[];
}

/** A shopper whose cart is full. */
interface Waiting {
  shopper: Shopper;
  wish: Wish;
  email: string;
}

/** Any card of Stripe's that is not declined. */
const SOURCE = { processor: 'stripe', sourceId: 'pm_card_visa' } as const;
/** Carts are not raced for. */
const FILLING_AT_ONCE = 8;

/** Adds up what came of several. */
export function sum(tallies: readonly Tally[]): Tally {
  const all: Tally = {};
  for (const [name, n] of tallies.flatMap(Object.entries)) all[name] = (all[name] ?? 0) + n;
  return all;
}

/** Fills carts on both sides, the same number each, and lets all of them be ordered at the same time. */
export async function rush(sides: Sides, wish: Wish, shoppers: number): Promise<Tally> {
  await Promise.all(sides.map((side) => side.fill(wish, shoppers / sides.length)));
  return sum(await Promise.all(sides.map((side) => side.order())));
}

/** A program's requests as a shopper's browser sends them. */
export const sendBy =
  (client: Client) =>
  async (path: string, { method = 'GET', body, headers = {} }: Sent = {}): Promise<HttpReply> => {
    const ask = { method: method as 'GET' | 'POST', path, headers, ...(body !== undefined && { body }) };
    const { status, headers: received, body: text } = await client.ask(ask);
    return { status, headers: received, text, body: parsed(text) };
  };

function parsed(text: string): Answer {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Shoppers of a server, each over a connection of their own. */
export function serverSide(server: RunningServer, shoppers: number): ShopSide {
  const client = createClient(server.url, shoppers);
  let waiting: Waiting[] = [];
  return {
    async fill(wish, count) {
      const jobs = Array.from({ length: count }, (_, at) => async () => {
        const shopper = await newShopper({ send: sendBy(client) });
        await filled(shopper, wish);
        return { shopper, wish, email: `${wish.name}-${server.pid}-${at}@x.test` };
      });
      waiting = await parallel(jobs, FILLING_AT_ONCE);
    },
    order: async () => sum(await Promise.all(waiting.map(ordered))),
    stop: () => {
      client.close();
      return server.stop();
    },
  };
}

async function filled(shopper: Shopper, { variantId, code, giftCard }: Wish): Promise<void> {
  await shopper.data('/cart/add', { variant_id: variantId, quantity: 1 });
  if (code !== undefined) await shopper.data('/cart/coupon', { code });
  if (giftCard !== undefined) await shopper.data('/cart/gift-card', { code: giftCard });
}

async function ordered({ shopper, wish, email }: Waiting): Promise<Tally> {
  const pay = wish.onlyByCard ? {} : { processor: SOURCE.processor, source_id: SOURCE.sourceId };
  const seen = wish.expectedTotalCents;
  const expected = seen === undefined ? {} : { expected_total_cents: seen };
  return { [outcomeOf(await shopper.post('/checkout', { email, ...pay, ...expected }))]: 1 };
}

/** `placed`, `waiting`, or the reason of a refusal. */
export function outcomeOf({ status, body }: HttpReply): string {
  if (status >= 500) return String(status);
  if (status > 201) {
    const { reason } = (body.details ?? {}) as { reason?: string };
    return reason ?? String(body.error_code);
  }
  const { order } = body.data as unknown as PlacedShown;
  return order.placed_at === null ? 'waiting' : 'placed';
}

/** A process beside the server, as a command is one. It runs the sources that the executable was built from. */
async function processSide({ installation }: Storefront): Promise<ShopSide> {
  const { cwd, env } = installation.launch;
  const url = `sqlite:${databaseFile(installation.dataDir)}`;
  const rival = await startRival<CheckoutWork, Tally>('checkout-process.ts', cwd, url, env);
  let work: CheckoutWork | null = null;
  return {
    async fill(wish, shoppers) {
      const { onlyByCard = false, ...all } = wish;
      work = { ...all, shoppers, pay: onlyByCard ? null : SOURCE };
      const tally = await rival.work({ ...work, only: 'fill' });
      if (tally.filled !== shoppers) throw new Error(`carts were not filled: ${JSON.stringify(tally)}`);
    },
    order: () => rival.work({ ...(work as CheckoutWork), only: 'order' }),
    stop: rival.stop,
  };
}

/** The server of a shop, and beside it a second one or, where one file serves one server, a process of another kind. */
export async function openSides({ database }: ProofBench, shop: Storefront, shoppers: number): Promise<Pair> {
  const servers = [shop.server];
  if (database.kind === 'postgres') servers.push(await startServer(shop.installation.launch));
  const [first, second] = servers.map((server) => serverSide(server, shoppers));
  return {
    sides: [first as ShopSide, second ?? (await processSide(shop))],
    urls: servers.map(({ url }) => url),
  };
}

/** Two servers of a fixture. */
export async function fixtureSides(
  launch: Launch,
  words: readonly string[],
  shoppers: number,
): Promise<Pair> {
  const servers = await Promise.all([startServer(launch, words), startServer(launch, words)]);
  const [first, second] = servers;
  return {
    sides: [serverSide(first, shoppers), serverSide(second, shoppers)],
    urls: servers.map(({ url }) => url),
  };
}
