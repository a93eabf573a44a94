// What an operator's hooks do to a shop, as shoppers and staff see it at their browsers: orders to a country are refused with
// words that the shopper reads, and a chat hears of the others. The same walk is gone in the tests' own server and in the
// executable.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import type { Chromium, Looking } from '../support/chromium.ts';
import type { Place } from './customer-walk.ts';
import { type Walker, walker } from './walker.ts';

const WORDS = 'We do not ship to <Germany> yet. Ask us at +1 555 0100.';

/** A chat on the loopback interface. */
export interface Chat {
  readonly url: string;
  /** What was posted to it, oldest first. */
  readonly heard: readonly { readonly text: string }[];
  close(): void;
}

export async function openChat(): Promise<Chat> {
  const heard: { text: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      heard.push(JSON.parse(body));
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/shop`, heard, close: () => void server.close() };
}

/** Files of the hooks directory, typed by what `appctl hooks init` writes beside them. */
export const operatorFiles = ({ url }: Chat): Readonly<Record<string, string>> => ({
  '10-countries.ts': `
    import type { Hooks } from './hooks.d.ts';
    export function register(hooks: Hooks): void {
      hooks.on('before:order.create', (order) => {
        if (order.shipping_address?.country === 'DE') throw new hooks.HookError(${JSON.stringify(WORDS)});
      });
    }`,
  '20-chat.js': `
    export function register(hooks) {
      hooks.on('after:order.create', async (order) => {
        await fetch('${url}', { method: 'POST', body: JSON.stringify({ text: order.order_number + ' ' + order.email }) });
      });
    }`,
});

/** Where the operator's shop runs. */
export interface OperatorWalk {
  readonly place: Omit<Place, 'mailsTo'>;
  readonly chat: Chat;
  /** Of the browsers, which are opened anew for each step. */
  readonly open: () => Promise<Walker>;
  /** Who orders. */
  readonly email: string;
  /** Brings about what runs after a commit, where nothing does by itself. */
  readonly settle: () => Promise<void>;
}

export const operatorWalk = (
  chromium: Chromium,
  walk: Pick<OperatorWalk, 'place' | 'chat' | 'settle'>,
  looking: Required<Looking>,
): OperatorWalk => ({
  ...walk,
  open: () => walker(chromium, walk.place.url, looking),
  email: `bob-${looking.width}@x.test`,
});

const ordersOf = async ({ place, email }: OperatorWalk) =>
  (await place.ask(`/orders?q=${email}`)) as unknown as { order_number: string }[];

/** Puts a shirt into a cart and orders it, at a browser of its own. */
async function order({ open, email }: OperatorWalk, address: Record<string, string>): Promise<Walker> {
  const shopper = await open();
  await shopper.open('/shop/products/linen-shirt');
  await shopper.press('Add to cart');
  await shopper.stands('Cart');
  await shopper.press('Go to checkout');
  const place = { name: 'Bob Miller', line1: '1 Main Street', city: 'Springfield' };
  await shopper.fill({ email, ...place, ...address });
  await shopper.press('Continue');
  await shopper.stands('Checkout');
  await shopper.page.locator('main [name=processor][value=offline]').check();
  await shopper.press('Place order');
  return shopper;
}

/** The walk, step by step. */
export const operatorSteps: readonly (readonly [
  name: string,
  step: (walk: OperatorWalk) => Promise<void>,
])[] = [
  [
    'refuses an order to a country, and the shopper reads why',
    async (walk) => {
      const shopper = await order(walk, { country: 'DE', postal_code: '10115' });
      await shopper.sees(WORDS);
      // The browser reports the status of the page, which is 400.
      shopper.faults.length = 0;
      await shopper.stands('Checkout');
      expect(await ordersOf(walk)).toEqual([]);
      await shopper.close();
    },
  ],
  [
    'lets the others pass, and the chat hears of them',
    async (walk) => {
      const shopper = await order(walk, { country: 'US', state: 'IL', postal_code: '62701' });
      await shopper.stands('Thank you for your order');
      await shopper.close();
      await walk.settle();
      const [placed] = await ordersOf(walk);
      const text = `${placed?.order_number} ${walk.email}`;
      await expect.poll(() => walk.chat.heard, { timeout: 30_000 }).toEqual([{ text }]);
    },
  ],
  [
    'staff see how the files do',
    async ({ open, place }) => {
      const staff = await open();
      await staff.open('/admin/login');
      await staff.fill(place.owner);
      await staff.press('Sign in');
      await staff.open('/store/settings/hooks');
      await staff.stands('Hooks');
      await staff.sees('10-countries.ts');
      await staff.sees('before:order.create');
      await staff.close();
    },
  ],
];
