// Payments whose news come from everywhere at once: reports of the processor, repeated and out of order, the browser that
// comes back twice, and the form that is sent again.
import { newShopper, type PlacedShown, type Shopper } from '../../storefront/shopper.ts';
import type { Switch } from '../../support/processors/loopback.ts';
import type { StripeServer } from '../../support/processors/stripe-server.ts';
import type { Fields } from '../../support/processors/stripe-world.ts';
import { type Client, createClient, parallel } from './client.ts';
import { Complaints } from './proof.ts';
import type { Random } from './random.ts';
import { outcomeOf, sendBy } from './shop-sides.ts';

/** What happens to a payment before anybody reports it. */
export type Fate = 'taken' | 'answer lost' | 'proved' | 'refused, then paid';
export const FATES: readonly Fate[] = ['taken', 'answer lost', 'proved', 'refused, then paid'];

const SOURCES: Readonly<Record<Fate, string>> = {
  taken: 'pm_card_visa',
  'answer lost': 'pm_card_visa',
  proved: 'pm_card_authenticationRequired',
  'refused, then paid': 'pm_card_authenticationRequired',
};
const SWITCHES: Partial<Record<Fate, Switch>> = { 'answer lost': 'done_then_drop' };

const REPEATS = 3;
const AT_ONCE = 16;

/** A shopper who has ordered. */
interface Buyer {
  fate: Fate;
  shopper: Shopper;
  body: Readonly<Record<string, string>>;
  placed: PlacedShown;
}

/** Who is told, by whom. */
export interface World {
  readonly stripe: StripeServer;
  /** Of the servers. */
  readonly urls: readonly string[];
  readonly variantId: string;
  readonly random: Random;
}

/** @returns answers that none may give, and how many reports and requests there were */
export async function tellOften(
  world: World,
  name: string,
  fates: readonly Fate[],
): Promise<{ wrong: Complaints; told: number }> {
  const wrong = new Complaints();
  const clients = world.urls.map((url) => createClient(url, AT_ONCE));
  try {
    const buyers: Buyer[] = [];
    // One after the other: a fault of the processor is of the next payment.
    for (const [at, fate] of fates.entries()) buyers.push(await buy(world, clients, `${name}-${at}`, fate));
    const acts = world.random.shuffled([
      ...world.stripe.events.flatMap((event) => repeated(() => report(world, clients, event, wrong))),
      ...buyers.flatMap((buyer) => browserOf(buyer, wrong)),
    ]);
    await parallel(acts, AT_ONCE);
    // Everything once more, the last first.
    const again = world.stripe.events.toReversed().map((event) => () => report(world, clients, event, wrong));
    await parallel(again, AT_ONCE);
    return { wrong, told: acts.length + again.length };
  } finally {
    for (const client of clients) client.close();
  }
}

const repeated = <T>(act: () => T): (() => T)[] => Array.from({ length: REPEATS }, () => act);

async function buy(
  { stripe, variantId, random }: World,
  clients: readonly Client[],
  name: string,
  fate: Fate,
): Promise<Buyer> {
  const client = random.pick(clients as [Client, ...Client[]]);
  const shopper = await newShopper({ send: sendBy(client) });
  await shopper.data('/cart/add', { variant_id: variantId, quantity: 1 });
  const fault = SWITCHES[fate];
  if (fault) stripe.next(fault);
  const body = { email: `${name}@x.test`, processor: 'stripe', source_id: SOURCES[fate] };
  const placed = await shopper.data<PlacedShown>('/checkout', body);
  const bank = placed.payment?.next_action?.url;
  if (bank !== undefined) await visitBank(String(bank), fate === 'proved');
  return { fate, shopper, body, placed };
}

/** The buyer proves who they are, or cannot. */
const visitBank = (url: string, ok: boolean): Promise<Response> =>
  fetch(ok ? url : `${url}?cancel`, { redirect: 'manual' });

async function report(
  { stripe, random }: World,
  clients: readonly Client[],
  event: Fields,
  wrong: Complaints,
): Promise<void> {
  const { body, headers } = stripe.signed(event);
  const path = '/api/store/payments/webhook/stripe';
  const client = random.pick(clients as [Client, ...Client[]]);
  const answer = await client.ask({
    method: 'POST',
    path,
    body,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  wrong.unless(answer.status === 200, () => `a report was answered ${answer.status}: ${answer.body}`);
}

/** The browser comes back, twice, and sends the form again; who was refused pays with another card. */
function browserOf({ fate, shopper, body, placed }: Buyer, wrong: Complaints): (() => Promise<void>)[] {
  const { order, payment } = placed;
  const confirm = { order_number: order.order_number, payment_id: payment?.id };
  const post = (path: string, sent: object) => async (): Promise<void> => {
    const outcome = outcomeOf(await shopper.post(path, sent));
    const isAllowed = ['placed', 'waiting', 'PAYMENT_DECLINED', 'PAYMENT_IN_PROGRESS'].includes(outcome);
    wrong.unless(isAllowed, () => `${path} was answered ${outcome} (${fate})`);
  };
  const back = repeated(post('/checkout/confirm', confirm));
  if (fate !== 'refused, then paid') return [...back, ...repeated(post('/checkout', body))];
  return [...back, ...repeated(post('/checkout', { ...body, source_id: 'pm_card_visa' }))];
}
