// Who cannot have the key of a license that was bought: staff who search, other browsers of its owner, and programs that make
// licenses (fulfilment section 8).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyPrefix } from '#licensing/catalog/key-formats/index.ts';
import { create as createRole } from '#platform/roles/index.ts';
import { member } from '../platform/panel/staff.ts';
import { type CustomerClient, openJson } from '../storefront/customer-client.ts';
import { storeClient } from '../storefront/store-client.ts';
import { openShopperShop, type ShopperShop } from './shopper-shop.ts';

let shop: ShopperShop;
let variantId: string;
let productId: string;
beforeAll(async () => {
  shop = await openShopperShop();
  const made = await shop.licensed();
  variantId = made.variantId;
  productId = made.licenseProduct.id;
}, 120_000);
afterAll(() => shop.app.close());

describe('staff who may read orders', () => {
  it('find a license by no more of its key than every page shows, and read no more of it anywhere', async () => {
    const { key, order } = await shop.holder(variantId);
    await createRole(shop.app.ctx, { name: 'reader', permissions: ['orders:read', 'customers:read'] });
    const reader = await storeClient(shop.app, 'reader');
    const { browser } = await member(shop.app, ['orders:read', 'customers:read']);
    const shown = keyPrefix(key);
    const paths = ['/license-grants', '/orders', '/customers'];
    const answers: string[] = [];
    const hits = async (q: string): Promise<number[]> => {
      const found: number[] = [];
      for (const path of paths) {
        const { text, body } = await reader.send(`${path}?q=${encodeURIComponent(q)}`);
        answers.push(text);
        found.push((body.data as unknown as object[]).length);
      }
      const { text } = await browser.open(`/admin/search?q=${encodeURIComponent(q)}`);
      answers.push(text.replaceAll(q, ''));
      found.push(text.includes(`/store/orders/${order.id}`) ? 1 : 0);
      return found;
    };
    expect(await hits(shown)).toEqual([1, 1, 1, 1]);
    expect(await hits(key)).toEqual([1, 1, 1, 1]);
    for (let length = shown.length + 1; length < key.length; length++)
      expect([length, await hits(key.slice(0, length))]).toEqual([length, [0, 0, 0, 0]]);
    expect(await hits(key.slice(1))).toEqual([0, 0, 0, 0]);
    for (const path of [`/orders/${order.id}`, `/orders/${order.id}/licenses`, '/license-grants'])
      answers.push((await reader.send(path)).text);
    const more = key.slice(0, shown.length + 2);
    expect(answers.filter((text) => text.includes(more))).toEqual([]);
  });
});

describe('the page of an order in the account', () => {
  /** Another browser in which the same customer has signed in. */
  async function elsewhere({ email, password }: CustomerClient) {
    const other = await openJson(shop.app);
    await other.data('/api/shop/auth/login', 'POST', { email, password });
    return other;
  }

  it('shows the key masked in every other browser, with the way to the license that asks for the password', async () => {
    const { who, order, card, key } = await shop.holder(variantId);
    const pages = [
      `/shop/account/orders/${order.order_number}`,
      `/shop/checkout/success/${order.order_number}`,
    ];
    for (const page of pages) expect((await who.browser.open(page)).text).toContain(key);
    const other = await elsewhere(who);
    shop.app.clock.advance(20 * 60);
    // The request of the checkout once more is answered with the order, and is no order.
    const again = await other.send('/api/store/checkout', 'POST', shop.checkout(who.email));
    expect([again.status, again.text.includes(String(order.order_number))]).toEqual([200, true]);
    for (const page of pages) {
      const { text } = await other.browser.open(page);
      expect(text).not.toContain(key);
      expect(text).toContain('Open the license to see the full key');
      expect(text).toContain(`href="/shop/account/licenses/${card.id}"`);
    }
    expect((await who.browser.open(pages[0] ?? '')).text).toContain(key);
    expect(await other.refusal(`/api/shop/licenses/${card.id}/reveal`, 'POST', {})).toEqual([
      400,
      'VALIDATION_MISSING_FIELD',
      undefined,
    ]);
    shop.app.clock.advance(86_400);
    expect((await who.browser.open(pages[0] ?? '')).text).not.toContain(key);
  });

  it('does not show it after a sign-out', async () => {
    const { who, order, key } = await shop.holder(variantId);
    await who.send('/api/shop/auth/logout', 'POST', {});
    await who.renew();
    await who.data('/api/shop/auth/login', 'POST', { email: who.email, password: who.password });
    expect((await who.browser.open(`/shop/account/orders/${order.order_number}`)).text).not.toContain(key);
  });
});

describe('a license that a program makes', () => {
  it('belongs to no order, and does not reveal which orders exist', async () => {
    const { order } = await shop.holder(variantId);
    const { secret } = await shop.app.apiKey('CREATE_LICENSE');
    const made = async (number: unknown) =>
      shop.app.post(
        '/api/v1/license/create',
        {
          ...{ productId, customerEmail: 'x@x.test', type: 'PERPETUAL', tier: 'PERSONAL', orderId: 'x-1' },
          metadata: { store_order: String(number) },
        },
        secret,
      );
    const answers = [await made(order.order_number), await made('nothing')];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(await shop.mintsOf(order.id)).toHaveLength(1);
    const { events } = await shop.staff.data(`/orders/${order.id}`);
    expect((events as { type: string }[]).filter(({ type }) => type === 'license')).toHaveLength(1);
  });

  it('nor is one of staff who may not change orders', async () => {
    const { order } = await shop.holder(variantId);
    await createRole(shop.app.ctx, { name: 'minter', permissions: ['licensing:write'] });
    await createRole(shop.app.ctx, { name: 'clerk', permissions: ['licensing:write', 'orders:write'] });
    const made = async (role: string, number: unknown) => {
      const { secret } = await shop.app.adminToken(role);
      const body = { productId, customerEmail: 'x@x.test', type: 'PERPETUAL', tier: 'PERSONAL' };
      const sent = { ...body, orderId: 'x-1', metadata: { store_order: String(number) } };
      return (
        await shop.app.send('/api/v1/admin/licenses', {
          method: 'POST',
          body: sent,
          headers: { Authorization: `Bearer ${secret}` },
        })
      ).status;
    };
    expect([await made('minter', order.order_number), await made('minter', 'nothing')]).toEqual([201, 201]);
    expect(await shop.mintsOf(order.id)).toHaveLength(1);
    expect([await made('clerk', order.order_number), await made('clerk', 'nothing')]).toEqual([201, 404]);
    expect(await shop.mintsOf(order.id)).toHaveLength(2);
  });
});
