// A shopper buys as a guest, and staff send and refund it: at each processor that takes cards and paid later, with scripts
// and without, in a wide window and a narrow one. The processors are stand-ins on this machine that speak their HTTP API.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { CheckScope } from '#kernel/check.ts';
import { systemClock } from '#kernel/clock.ts';
import * as accounts from '#platform/accounts/index.ts';
import { checks } from '../../src/app/capabilities.ts';
import { storeClient } from '../storefront/store-client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Chromium, type Looking, openChromium } from '../support/chromium.ts';
import { pagesOf } from '../support/pdf-text.ts';
import { PAYPAL_KEYS, PayPalServer } from '../support/processors/paypal-server.ts';
import { SQUARE_KEYS, SquareServer } from '../support/processors/square-server.ts';
import { STRIPE_KEYS, StripeServer } from '../support/processors/stripe-server.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { type Walker, walker } from './walker.ts';

const owner = { email: 'ann@x.test', name: 'Ann', password: 'correct horse battery' };
const PROCESSORS = ['stripe', 'square', 'paypal', 'offline'] as const;

let chromium: Chromium;
let mail: MailServer;
let stripe: StripeServer;
let square: SquareServer;
let paypal: PayPalServer;
let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;

beforeAll(async () => {
  [chromium, mail, stripe, square, paypal] = await Promise.all([
    openChromium(),
    openMailServer(),
    StripeServer.open(),
    SquareServer.open(),
    PayPalServer.open(),
  ]);
  app = await startApp({
    clock: systemClock,
    env: {
      APPCTL_STRIPE_API_URL: stripe.url,
      APPCTL_SQUARE_API_URL: square.url,
      APPCTL_PAYPAL_API_URL: paypal.url,
      APPCTL_SMTP_URL: mail.url,
      APPCTL_MAIL_FROM: 'post@shop.test',
    },
    pins: {
      ...STRIPE_KEYS,
      ...SQUARE_KEYS,
      ...PAYPAL_KEYS,
      payment_processor: 'stripe',
      payment_processors_enabled: '["square","paypal","offline"]',
      store_name: 'Harbor Goods',
      // One account at PayPal and one card buy for many addresses here.
      risk_review_score: '0',
    },
  });
  await accounts.createOwner(app.ctx, owner);
  client = await storeClient(app);
  const zone = await client.data('/shipping/zones', 'POST', { name: 'World', regions: [{ country: '*' }] });
  const method = await client.data(`/shipping/zones/${zone.id}/methods`, 'POST', {
    name: 'Parcel',
    kind: 'flat',
  });
  await client.data(`/shipping/methods/${method.id}/rates`, 'PUT', { rates: [{ price_cents: 500 }] });
  await client.data('/promotions', 'POST', {
    name: 'Welcome',
    code: 'WELCOME',
    type: 'coupon',
    effect: 'percent',
    percent_bps: 1000,
    status: 'active',
  });
  await client.data('/products', 'POST', {
    title: 'Linen Shirt',
    type: 'physical',
    status: 'active',
    options: [{ name: 'Size', values: ['M', 'L'] }],
    variants: ['M', 'L'].map((size) => ({
      sku: `SHIRT-${size}`,
      price_cents: size === 'M' ? 2000 : 2200,
      stock: 1000,
      option_values: { Size: size },
    })),
  });
}, 90_000);
afterAll(async () => {
  await app?.close();
  await Promise.all([chromium, mail, stripe, square, paypal].map((one) => one?.close()));
});

const phone = { width: 360, scheme: 'light' } as const;
const wide = { width: 1280, scheme: 'dark' } as const;
/** Each database sees half of them: with scripts and without, on a phone and on a wide screen. */
const looks: Record<'sqlite' | 'postgres', readonly Required<Looking>[]> = {
  sqlite: [
    { javaScript: true, ...phone },
    { javaScript: false, ...wide },
  ],
  postgres: [
    { javaScript: true, ...wide },
    { javaScript: false, ...phone },
  ],
};

describe.each(looks[inject('databaseKind')])('scripts $javaScript, $width px', (looking) => {
  let staff: Walker;
  beforeAll(async () => {
    staff = await walker(chromium, app.url, looking);
    await staff.open('/admin/login');
    await staff.fill({ email: owner.email, password: owner.password });
    await staff.press('Sign in');
  }, 90_000);
  afterAll(() => staff?.close());

  describe.each(PROCESSORS)('paid by %s', (processor) => {
    const email = `${processor}-${looking.width}-${looking.javaScript ? 'js' : 'plain'}@x.test`;
    let shopper: Walker;
    let number: string;
    beforeAll(async () => {
      shopper = await walker(chromium, app.url, looking);
    });
    afterAll(() => shopper?.close());

    it('a shopper finds a shirt, chooses a size and puts it into the cart with a code', async () => {
      await fillCart(shopper);
    }, 90_000);

    it('orders as a guest', async () => {
      await placeOrder(shopper, email, processor);
      await shopper.page.waitForURL(/\/shop\/checkout\/success\//, { timeout: 40_000 });
      await shopper.stands('Thank you for your order');
      number = new URL(shopper.page.url()).pathname.split('/').at(-1) ?? '';
    }, 90_000);

    /** Mails of this shopper, once those that wait were sent. */
    const mails = async () => {
      await mailWorker(app.ctx).idle();
      return mail.to(email);
    };
    const order = () => client.data(`/orders/${number}`);

    it('is written about it, and charged once', async () => {
      const [{ subject, text } = { subject: '', text: '' }] = await mails();
      expect(subject).toContain(number);
      expect(text).toContain('$44.60');
      const { status, payment_status, total_cents } = await order();
      expect([status, payment_status, total_cents]).toEqual(
        processor === 'offline' ? ['pending', 'unpaid', 4460] : ['processing', 'paid', 4460],
      );
    });

    it('opens the order by the link of the mail, and its invoice', async () => {
      const [{ text } = { text: '' }] = await mails();
      await shopper.open(/http\S+\/shop\/order\/\S+/.exec(text)?.[0] ?? '');
      await shopper.stands(new RegExp(number));
      const invoice = await shopper.page.getByRole('link', { name: 'Invoice (PDF)' }).getAttribute('href');
      const reply = await shopper.context.request.get(new URL(invoice ?? '', app.url).href);
      const [page = ''] = pagesOf(await reply.body());
      for (const words of [number, 'Linen Shirt', 'Bob Miller', '$44.60']) expect(page).toContain(words);
    });

    it('staff send it, and the shopper is written where it is', async () => {
      const { id } = await order();
      if (processor === 'offline')
        await client.data(`/orders/${id}/payments`, 'POST', { amount_cents: 4460, method: 'bank_transfer' });
      await staff.open(`/store/orders/${id}/ship`);
      await staff.stands(/Ship order/);
      await staff.fill({ carrier: 'UPS', trackingNumber: '1Z999', shipNow: true });
      await staff.press('Create shipment');
      expect((await order()).status).toBe('shipped');
      // Mails that wait together arrive in any order.
      expect((await mails()).map(({ text }) => text)).toContainEqual(expect.stringContaining('1Z999'));
    }, 90_000);

    it('staff refund a part of it, which goes back once', async () => {
      const { id } = await order();
      await staff.open(`/store/orders/${id}/refund`);
      await staff.fill({ adjustment: '5.00', reason: 'A loose button' });
      await staff.press('Show before and after');
      await staff.stands(/Refund order/);
      await staff.press('Refund $5.00');
      const { payment_status, refunded_cents } = await order();
      expect([payment_status, refunded_cents]).toEqual(['partially_refunded', 500]);
      await shopper.page.reload();
      await shopper.sees('-$5.00');
      await shopper.stands(new RegExp(number));
    }, 90_000);
  });

  it('a shopper who gives up on the page of the processor chooses another way to pay', async () => {
    const shopper = await walker(chromium, app.url, looking);
    const { page } = shopper;
    await page.route(`${stripe.url}/pay/**`, (route, request) =>
      route.continue({ url: `${request.url()}?cancel=1` }),
    );
    await fillCart(shopper);
    await placeOrder(shopper, `gives-up-${looking.width}-${looking.javaScript}@x.test`, 'stripe');
    await page.waitForURL(/cancelled=1/);
    await shopper.stands('This order has not been paid yet');
    await shopper.press('Choose another payment method');
    await shopper.stands('Checkout');
    await page.locator('main [name=processor][value=offline]').check();
    await shopper.press('Place order');
    await shopper.stands('Thank you for your order');
    await shopper.close();
  }, 120_000);
});

it.each(['store.money', 'store.stock', 'store.holds'])('%s: the books are right afterwards', async (id) => {
  const scope = { opened: { ctx: app.ctx, current: true } } as unknown as CheckScope;
  expect(await checks.find((one) => one.id === id)?.run(scope)).toMatchObject({ status: 'ok' });
});

/** Puts two shirts of one size into the cart, with a code. */
async function fillCart(shopper: Walker): Promise<void> {
  await shopper.open('/shop/products');
  await shopper.press('Linen Shirt');
  await shopper.page.getByRole('radio', { name: /^L/ }).check();
  if (!shopper.hasScripts) await shopper.press('Show this option');
  await shopper.page.waitForURL(/=L(&|$)/);
  await shopper.sees('$22.00');
  await shopper.fill({ quantity: '2' });
  await shopper.press('Add to cart');
  await shopper.stands('Cart');
  await shopper.push('Discount code or gift card');
  await shopper.fill({ promotion: 'welcome' });
  await shopper.press('Apply');
  await shopper.sees('$39.60');
  await shopper.stands('Cart');
}

/** Goes to the checkout and places the order. */
async function placeOrder(shopper: Walker, email: string, processor: string): Promise<void> {
  await shopper.press('Go to checkout');
  await shopper.fill({
    email,
    name: 'Bob Miller',
    line1: '1 Main Street',
    postal_code: '62701',
    city: 'Springfield',
    state: 'IL',
    country: 'US',
  });
  await shopper.press('Continue');
  await shopper.stands('Checkout');
  await shopper.sees('$44.60');
  await shopper.page.locator(`main [name=processor][value=${processor}]`).check();
  await shopper.push('Place order');
}
