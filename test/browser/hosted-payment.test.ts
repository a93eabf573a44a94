// A shopper pays on the page of the processor, in a real browser: Chromium holds a form to the page's policy also where its
// answer leads on, and the page of the processor is another origin.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OrderShop, openOrderShop } from '../storefront/order-shop.ts';
import { mug } from '../storefront/store-client.ts';
import { type Chromium, openChromium } from '../support/chromium.ts';
import { STRIPE_KEYS, StripeServer } from '../support/processors/stripe-server.ts';
import { type Walker, walker } from './walker.ts';

let chromium: Chromium;
let stripe: StripeServer;
let shop: OrderShop;
beforeAll(async () => {
  chromium = await openChromium();
  stripe = await StripeServer.open({ now: () => shop.app.clock.epochMs() });
  shop = await openOrderShop({
    env: { APPCTL_STRIPE_API_URL: stripe.url },
    pins: { ...STRIPE_KEYS, payment_processor: 'stripe' },
  });
}, 60_000);
afterAll(async () => {
  await shop.app.close();
  await stripe.close();
  await chromium.close();
});

const address = {
  email: 'ann@example.test',
  name: 'Ann Miller',
  line1: '1 Main Street',
  city: 'Springfield',
  state: 'IL',
  postal_code: '62701',
};

describe.each([true, false])('scripts %s', (javaScript) => {
  let ann: Walker;
  beforeAll(async () => {
    ann = await walker(chromium, shop.app.url, { javaScript, width: 360, scheme: 'light' });
  }, 60_000);

  /** No policy was broken. A page that leads on at once gives up the fade into it, which is no fault. */
  function nothingRefused(): void {
    expect(ann.faults.splice(0).filter((one) => !one.includes('ViewTransition'))).toEqual([]);
  }

  /** The checkout, filled in up to the payment. */
  async function atCheckout(): Promise<void> {
    const variants = [{ sku: crypto.randomUUID(), price_cents: 1900, stock: 5 }];
    const { slug } = await shop.staff.data('/products', 'POST', mug({ status: 'active', variants }));
    await ann.open(`/shop/products/${slug}`);
    await ann.press('Add to cart');
    await ann.open('/shop/checkout');
    await ann.fill(address);
    await ann.press('Continue');
  }

  it('pays there, comes back, and is thanked', async () => {
    await atCheckout();
    await Promise.all([ann.page.waitForURL('**/shop/checkout/success/**'), ann.push('Place order')]);
    nothingRefused();
    await ann.stands(/Thank you/);
    expect(stripe.charges().at(-1)).toMatchObject({ amount: 2400, currency: 'USD' });
  }, 60_000);

  it('comes back without having paid, goes there again, and pays', async () => {
    await atCheckout();
    // The shopper leaves the page of the processor by its link back to the shop.
    await ann.page.route(`${stripe.url}/pay/**`, (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('cancel', '1');
      return route.continue({ url: url.href });
    });
    await Promise.all([ann.page.waitForURL(/cancelled=1/), ann.push('Place order')]);
    nothingRefused();
    await ann.stands('This order has not been paid yet');
    await ann.sees('has not been paid yet. Continue');
    await ann.page.unrouteAll();
    await Promise.all([ann.page.waitForURL('**/shop/checkout/success/**'), ann.push('Continue to payment')]);
    await ann.stands(/Thank you/);
  }, 60_000);
});
