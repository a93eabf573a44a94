// What a customer does from the first visit to the last, and staff beside: registers, orders, sends something back, is
// refunded, and has everything removed. The same walk is gone in the tests' own server and in the executable.
import { expect } from 'vitest';
import type { Chromium, Looking } from '../support/chromium.ts';
import { type Walker, walker } from './walker.ts';

/** A shop that runs, as far as the walk needs it. */
export interface Place {
  readonly url: string;
  readonly owner: { readonly email: string; readonly password: string };
  /** What a call of the staff's API answers. @param path below /api/store */
  ask(path: string, method?: string, body?: unknown): Promise<Record<string, unknown> & { id: string }>;
  /** What was written to an address so far; waits for what is on its way. @param count as many at least */
  mailsTo(
    email: string,
    count: number,
  ): Promise<readonly { readonly subject: string; readonly text: string }[]>;
}

/** The two at their browsers, and what they know of each other. */
export interface Walk {
  readonly place: Place;
  readonly customer: Walker;
  readonly staff: Walker;
  readonly email: string;
  number: string;
  returnNumber: string;
}

const PASSWORD = 'a walk in the harbour';
/** Two shirts of 22.00, and 5.00 to send them. */
const TOTAL = 4900;

/** Makes what is sold and sent. Orders are paid later: staff record the money. */
export async function stockShop({ ask }: Pick<Place, 'ask'>): Promise<void> {
  const zone = await ask('/shipping/zones', 'POST', { name: 'World', regions: [{ country: '*' }] });
  const method = await ask(`/shipping/zones/${zone.id}/methods`, 'POST', { name: 'Parcel', kind: 'flat' });
  await ask(`/shipping/methods/${method.id}/rates`, 'PUT', { rates: [{ price_cents: 500 }] });
  await ask('/products', 'POST', {
    title: 'Linen Shirt',
    type: 'physical',
    status: 'active',
    variants: [{ sku: 'SHIRT', price_cents: 2200, stock: 100 }],
  });
}

export async function beginWalk(chromium: Chromium, place: Place, looking: Required<Looking>): Promise<Walk> {
  const [customer, staff] = await Promise.all([
    walker(chromium, place.url, looking),
    walker(chromium, place.url, looking),
  ]);
  await staff.open('/admin/login');
  await staff.fill(place.owner);
  await staff.press('Sign in');
  const email = `bob-${looking.width}-${looking.javaScript ? 'js' : 'plain'}@x.test`;
  return { place, customer, staff, email, number: '', returnNumber: '' };
}

export async function endWalk({ customer, staff }: Walk): Promise<void> {
  await Promise.all([customer.close(), staff.close()]);
}

/** The path that a mail leads to. */
async function linkIn({ place, email }: Walk, count: number, path: RegExp): Promise<string> {
  const mails = await place.mailsTo(email, count);
  const found = mails.map(({ text }) => path.exec(text)?.[0]).find((link) => link !== undefined);
  if (found === undefined)
    throw new Error(`no mail leads to ${path}: ${mails.map(({ subject }) => subject)}`);
  return found;
}

const signIn = async ({ customer, email }: Walk): Promise<void> => {
  await customer.open('/shop/login');
  await customer.stands('Sign in');
  await customer.fill({ email, password: PASSWORD });
  await customer.press('Sign in');
};

const orderPage = ({ number }: Walk): string => `/shop/account/orders/${number}`;
const orderOf = ({ place, number }: Walk) => place.ask(`/orders/${number}`);

/** The walk, step by step. */
export const customerSteps: readonly (readonly [name: string, step: (walk: Walk) => Promise<void>])[] = [
  [
    'registers, and confirms the address by the mail',
    async (walk) => {
      const { customer, email } = walk;
      await customer.open('/shop/register');
      await customer.stands('Create an account');
      await customer.fill({ email, password: PASSWORD, first_name: 'Bob', last_name: 'Miller' });
      await customer.press('Create an account');
      await customer.stands('Check your email');
      await customer.open(await linkIn(walk, 1, /http\S+\/shop\/verify-email\/\S+/));
      await customer.stands('Verify your email address');
      await customer.press('Confirm');
      await customer.sees(email);
    },
  ],
  [
    'signs in and keeps the cart of the browser',
    async (walk) => {
      const { customer } = walk;
      await customer.open('/shop/products/linen-shirt');
      await customer.fill({ quantity: '2' });
      await customer.press('Add to cart');
      await customer.stands('Cart');
      await signIn(walk);
      await customer.stands('Your account');
      await customer.open('/shop/cart');
      await customer.sees('$44.00');
      await customer.stands('Cart');
    },
  ],
  [
    'orders with the address of the account filled in',
    async (walk) => {
      const { customer, email } = walk;
      await customer.press('Go to checkout');
      expect(await customer.page.locator('main [name=email]').inputValue()).toBe(email);
      await customer.fill({
        name: 'Bob Miller',
        line1: '1 Main Street',
        postal_code: '62701',
        city: 'Springfield',
        state: 'IL',
        country: 'US',
      });
      await customer.press('Continue');
      await customer.stands('Checkout');
      await customer.page.locator('main [name=processor][value=offline]').check();
      await customer.press('Place order');
      await customer.stands('Thank you for your order');
      walk.number = new URL(customer.page.url()).pathname.split('/').at(-1) ?? '';
      await customer.open('/shop/account/orders');
      await customer.stands('Orders');
      await customer.open(orderPage(walk));
      await customer.stands(new RegExp(walk.number));
    },
  ],
  [
    'staff note the money and send the parcel',
    async (walk) => {
      const { customer, staff, place } = walk;
      const { id } = await orderOf(walk);
      await place.ask(`/orders/${id}/payments`, 'POST', { amount_cents: TOTAL, method: 'bank_transfer' });
      await staff.open(`/store/orders/${id}/ship`);
      await staff.fill({ carrier: 'UPS', trackingNumber: '1Z999', shipNow: true });
      await staff.press('Create shipment');
      expect((await orderOf(walk)).status).toBe('shipped');
      await customer.open(orderPage(walk));
      await customer.sees('1Z999');
    },
  ],
  [
    'asks to return one of two',
    async (walk) => {
      const { customer } = walk;
      await customer.press('Return items');
      await customer.stands(/Return items/);
      const { page } = customer;
      await page.locator('main [name=quantity]').fill('1');
      await page.locator('main [name=reason]').selectOption({ label: 'I changed my mind' });
      await customer.press('Request return');
      await customer.stands(/^Return R\d+$/);
      walk.returnNumber = /R\d+/.exec(await customer.text('h1'))?.[0] ?? '';
    },
  ],
  [
    'staff approve it, receive it and refund it',
    async (walk) => {
      const { staff, place } = walk;
      const { id } = await place.ask(`/returns/${walk.returnNumber}`);
      for (const [verb, words] of [
        ['approve', 'Approve'],
        ['receive', 'Receive'],
      ] as const) {
        await staff.open(`/store/returns/${id}/${verb}`);
        await staff.stands(new RegExp(`^${words} return`));
        await staff.press(words);
      }
      await staff.open(`/store/returns/${id}/refund`);
      await staff.press('Show before and after');
      await staff.press('Refund $22.00');
      expect(await orderOf(walk)).toMatchObject({
        payment_status: 'partially_refunded',
        refunded_cents: 2200,
        return_status: 'partially_returned',
      });
    },
  ],
  [
    'sees what came back',
    async (walk) => {
      const { customer } = walk;
      await customer.open(`/shop/account/returns/${walk.returnNumber}`);
      await customer.sees('Completed');
      await customer.stands(`Return ${walk.returnNumber}`);
      await customer.open(orderPage(walk));
      await customer.sees('-$22.00');
      await customer.stands(new RegExp(walk.number));
    },
  ],
  [
    'has the account removed: nobody signs in to it, and the order says nothing of a person',
    async (walk) => {
      const { customer } = walk;
      await customer.open('/shop/account/delete');
      await customer.stands('Your data');
      await customer.fill({ password: PASSWORD, confirm: 'DELETE' });
      await customer.press('Delete your account');
      await customer.open('/shop/account');
      await signIn(walk);
      await customer.sees('The email address or the password is wrong');
      const order = JSON.stringify(await orderOf(walk));
      for (const word of ['Miller', 'Main Street', walk.email]) expect(order).not.toContain(word);
      expect(order).toContain(walk.number);
    },
  ],
];
