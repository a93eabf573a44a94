// An operator's rules in a shop: orders to a country are refused with words that the shopper reads, and a chat hears of the
// others. With scripts and without.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createOutboxWorker } from '#kernel/outbox/worker.ts';
import * as accounts from '#platform/accounts/index.ts';
import { hookHandler } from '#platform/hooks/index.ts';
import { storeHookThens } from '#storefront/tools/hooks/index.ts';
import { type OrderShop, openOrderShop } from '../storefront/order-shop.ts';
import { type Chromium, type Looking, openChromium } from '../support/chromium.ts';
import { hooksFolder } from '../support/hooks.ts';
import { type Walker, walker } from './walker.ts';

const owner = { email: 'ann@x.test', name: 'Ann', password: 'correct horse battery' };
const WORDS = 'We do not ship to <Germany> yet. Ask us at +1 555 0100.';

let chat: Server;
let heard: { text: string }[];
let chromium: Chromium;
let shop: OrderShop;
beforeAll(async () => {
  heard = [];
  chat = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      heard.push(JSON.parse(body));
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => chat.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(chat.address() as AddressInfo).port}/shop`;
  const dir = hooksFolder({
    '10-countries.ts': `
      interface Order { readonly shipping_address: { readonly country: string } | null }
      interface Hooks {
        on(event: string, run: (order: Order) => void): void;
        readonly HookError: new (message: string) => Error;
      }
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
  [chromium, shop] = await Promise.all([openChromium(), openOrderShop({ env: { APPCTL_HOOKS_DIR: dir } })]);
  await accounts.createOwner(shop.app.ctx, owner);
}, 90_000);
afterAll(async () => {
  await Promise.all([chromium?.close(), shop?.app.close()]);
  chat?.close();
});

const looks: Record<'sqlite' | 'postgres', Required<Looking>> = {
  sqlite: { javaScript: true, width: 360, scheme: 'light' },
  postgres: { javaScript: false, width: 1280, scheme: 'dark' },
};

describe('a rule of the operator', () => {
  const looking = looks[inject('databaseKind')];
  let shopper: Walker;
  beforeEach(async () => {
    const title = `Linen shirt ${crypto.randomUUID()}`;
    await shop.stocked(5, { title });
    shopper = await walker(chromium, shop.app.url, looking);
    await shopper.open(`/shop/products/${title.toLowerCase().replaceAll(' ', '-')}`);
    await shopper.press('Add to cart');
    await shopper.stands('Cart');
    await shopper.press('Go to checkout');
  }, 90_000);
  afterEach(() => shopper?.close());

  const order = async (country: string, more: Record<string, string>) => {
    await shopper.fill({
      email: 'bob@x.test',
      name: 'Bob Miller',
      line1: '1 Main Street',
      city: 'Springfield',
      country,
      ...more,
    });
    await shopper.press('Continue');
    await shopper.stands('Checkout');
    await shopper.page.locator('main [name=processor][value=offline]').check();
    await shopper.press('Place order');
  };

  it('refuses an order to a country, and the shopper reads why', async () => {
    await order('DE', { postal_code: '10115' });
    await shopper.sees(WORDS);
    // The browser tells of the status of the page, which is 400.
    shopper.faults.length = 0;
    await shopper.stands('Checkout');
    expect(await shop.knex()('orders').where({ email: 'bob@x.test' })).toEqual([]);
  }, 90_000);

  it('lets the others pass, and the chat hears of them', async () => {
    await order('US', { state: 'IL', postal_code: '62701' });
    await shopper.stands('Thank you for your order');
    await createOutboxWorker({ ctx: shop.app.ctx, handlers: [hookHandler(storeHookThens)] }).idle();
    const [placed] = await shop.knex()('orders').where({ email: 'bob@x.test' });
    expect(heard).toEqual([{ text: `${placed.order_number} bob@x.test` }]);
  }, 90_000);

  it('staff see how the files do', async () => {
    const staff = await walker(chromium, shop.app.url, looking);
    await staff.open('/admin/login');
    await staff.fill({ email: owner.email, password: owner.password });
    await staff.press('Sign in');
    await staff.open('/store/settings/hooks');
    await staff.stands('Hooks');
    await staff.sees('10-countries.ts');
    await staff.sees('before:order.create');
    await staff.close();
  }, 90_000);
});
