// A shop that writes mails: everything in them that somebody can choose is chosen to mislead, and its mail server goes away.
import { setTimeout as sleep } from 'node:timers/promises';
import { newShopper } from '../../storefront/shopper.ts';
import { type MailServer, openMailServer } from '../../support/smtp-server.ts';
import { createClient } from './client.ts';
import type { WallClock } from './faketime.ts';
import type { Injection } from './mail-injections.ts';
import { command } from './processes.ts';
import { outcomeOf, sendBy } from './shop-sides.ts';
import type { Storefront } from './storefront.ts';

/** Whoever writes mails, as a scene drives it. */
export interface Writer {
  /** @returns whether it was taken: then a mail is owed */
  try(injection: Injection): Promise<boolean>;
  /** How many mails have not been sent yet. */
  waiting(): Promise<number>;
  /** How many of them are on their way, or due by the clock of the writer. */
  due(): Promise<number>;
}

const POLL_MS = 50;
const PATIENCE_MS = 60_000;
const MINUTE = 60;
const HOUR_MINUTES = 60;

/** Waits until something holds. @throws Error when it does not in time */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
    await sleep(POLL_MS);
  }
}

/** Somebody orders one thing by mail. @param fields beside the address */
export async function orderAt(url: string, variantId: string, email: string, name: string): Promise<boolean> {
  const client = createClient(url, 1);
  try {
    const shopper = await newShopper({ send: sendBy(client) });
    await shopper.data('/cart/add', { variant_id: variantId, quantity: 1 });
    const body = { email, note: name, processor: 'offline', billing_address: { name, country: 'US' } };
    const reply = await shopper.post('/checkout', body);
    const outcome = outcomeOf(reply);
    if (outcome === 'placed') return true;
    if (reply.status === 400) return false;
    throw new Error(`an order was answered ${reply.status}: ${reply.text}`);
  } finally {
    client.close();
  }
}

/** The executable as the writer of mails. */
export function writerOf(
  shop: Storefront,
  variantId: string,
  { waiting, due }: Pick<Writer, 'waiting' | 'due'>,
): Writer {
  const { url } = shop.server;
  const order = (email: string, name = 'Ann Miller', variant = variantId) =>
    orderAt(url, variant, email, name);
  const made = async (path: string, body: object) => {
    try {
      return await shop.make(path, body);
    } catch (error) {
      if (/ was answered 400: /.test((error as Error).message)) return null;
      throw error;
    }
  };
  const give = async (recipient: object) =>
    (await made('/gift-cards', { amount_cents: 1000, send: true, ...recipient })) !== null;
  return {
    waiting,
    due,
    async try({ field, text, to }) {
      switch (field) {
        case 'email':
          return order(text);
        case 'name':
          return order(to, text);
        case 'recipient_email':
          return give({ recipient_email: text });
        case 'recipient_name':
          return give({ recipient_email: to, recipient_name: text, message: text });
        case 'title': {
          const variant = { sku: to, price_cents: 500, requires_shipping: false, stock: 10 };
          const product = { title: text, type: 'digital', status: 'active', variants: [variant] };
          const [first] = ((await made('/products', product))?.variants ?? []) as { id: string }[];
          return first !== undefined && order(to, 'Ann', first.id);
        }
        default: {
          const words = ['settings', 'set', 'store_name', text];
          const { code } = await command(shop.installation.launch, words);
          if (code !== 0) return false;
          const isOrdered = await order(to);
          // The name of the moment is in the mail: it has to go before the next one is tried.
          await until(async () => (await waiting()) === 0, 'a mail is sent');
          return isOrdered;
        }
      }
    },
  };
}

/** What stays away for an hour. */
export interface Outage {
  readonly mailServer: MailServer;
  /** Moved ahead while nobody answers; null where the writer does not go by one. */
  readonly clock: WallClock | null;
  readonly writer: Writer;
  /** How many orders are placed meanwhile. */
  readonly orders: number;
  order(email: string): Promise<boolean>;
}

/** Refuses the first mails once it is back: for now, and in the middle of one. */
const REFUSALS = [451, 421, 452];
const STEP_MINUTES = 5;
const LONG_STEP_MINUTES = 30;
/** The last attempt of a mail has come by then. */
const AFTERWARDS_MINUTES = 16 * 60;

/** So much time passes. What is due by then is attempted before more does: nobody's clock runs on within an attempt. */
async function pass({ clock, writer }: Outage, minutes: number): Promise<void> {
  clock?.step(minutes * MINUTE);
  await until(async () => (await writer.due()) === 0, 'all attempts are made');
}

/**
 * The mail server is away for an hour in which orders are placed, and comes back with a cold.
 *
 * @returns the server that came back, which has what came before, and the addresses that are owed a mail
 */
export async function outlive(outage: Outage): Promise<{ mailServer: MailServer; owed: string[] }> {
  const { mailServer, writer, orders, order } = outage;
  const { port, mails } = mailServer;
  await mailServer.close();
  const owed = Array.from({ length: orders }, (_, at) => `late-${at}@mail.test`);
  for (const to of owed) if (!(await order(to))) throw new Error(`an order of ${to} was refused`);
  for (let minute = 0; minute < HOUR_MINUTES; minute += STEP_MINUTES) await pass(outage, STEP_MINUTES);
  const back = await openMailServer({ port });
  back.mails.push(...mails);
  back.refuse(...REFUSALS.slice(0, orders));
  let minutes = 0;
  while ((await writer.waiting()) > 0 && minutes < AFTERWARDS_MINUTES) {
    await pass(outage, LONG_STEP_MINUTES);
    minutes += LONG_STEP_MINUTES;
  }
  await until(async () => (await writer.waiting()) === 0, 'all mails are sent');
  return { mailServer: back, owed };
}
