// What a paid order shows of its licenses, to whom, and how releases are fetched with links (fulfilment section 8, 9; M27).
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf, suspend } from '#licensing/licenses/licenses/index.ts';
import { openAccess } from '#storefront/orders/orders/index.ts';
import { blocksOf } from '../../src/storefront/orders/mails/delivered.ts';
import { bundleOf } from '../licensing/release-fixture.ts';
import { textOf } from '../platform/panel/staff.ts';
import { customerClient } from '../storefront/customer-client.ts';
import { mailed } from '../storefront/mailed-links.ts';
import { newShopper, type PlacedShown } from '../storefront/shopper.ts';
import { tokenIn } from '../support/browser.ts';
import { openShopperShop, type ShopperShop } from './shopper-shop.ts';

let shop: ShopperShop;
let sold: Awaited<ReturnType<ShopperShop['program']>>;
beforeAll(async () => {
  shop = await openShopperShop();
  sold = await shop.program();
}, 120_000);
afterAll(() => shop.app.close());

type Order = PlacedShown['order'] & { order_number: string };

/** A guest with a license. */
async function guest() {
  const shopper = await newShopper(shop.app);
  await shopper.data('/cart/add', { variant_id: sold.variantId, quantity: 1 });
  const email = `guest-${crypto.randomUUID()}@x.test`;
  const { order } = await shopper.data<PlacedShown>('/checkout', shop.checkout(email));
  const [mint] = await shop.mintsOf(order.id);
  const licenseId = mint?.license_id ?? '';
  const token = await openAccess(shop.app.ctx, { id: order.id } as Parameters<typeof openAccess>[1]);
  return {
    ...{ shopper, email, licenseId, token },
    order: order as Order,
    key: await keyOf(shop.app.ctx, licenseId),
    thanks: `/shop/checkout/success/${order.order_number}`,
  };
}

describe('the whole key', () => {
  it('is on the thank-you page and the page of the order, for the browser that paid, for a day', async () => {
    const { shopper, key, thanks, token, order } = await guest();
    const { text, headers } = await shopper.browser.open(thanks);
    expect(text).toContain(key);
    expect(headers['cache-control']).toContain('no-store');
    expect(/<title>([^<]*)/.exec(text)?.[1]).not.toContain(key);
    expect((await shopper.browser.open(`/shop/order/${token}`)).text).toContain(key);
    const elsewhere = await newShopper(shop.app);
    const seen = await elsewhere.browser.open(`/shop/order/${token}`);
    expect(seen.text).not.toContain(key);
    expect(textOf(seen.text)).toContain('****');
    const json = await shop.app.send(`/api/shop/orders/by-token/${token}`);
    expect(json.text).not.toContain(key);
    expect((json.body.data as unknown as { licenses: object[] }).licenses).toMatchObject([
      { product: sold.licenseProduct.name, status: 'ACTIVE', max_activations: 2 },
    ]);
    expect((await shop.staff.send(`/orders/${order.id}`)).text).not.toContain(key);
    shop.app.clock.advance(86_401);
    expect((await shopper.browser.open(`/shop/order/${token}`)).text).not.toContain(key);
  });

  it('is in the mail when that is sent, and is stored nowhere', async () => {
    const { order, email, key } = await guest();
    const { licenses_html: html } = await blocksOf(shop.app.ctx, order.id, {
      orderUrl: 'https://shop.example/order',
      to: email,
    });
    expect(html).toContain(key);
    expect(html).toContain('Machines per license: 2');
    expect(html).toContain('href="https://shop.example/order"');
    const [mail] = await mailed(shop.app, email, 'order_confirmation');
    expect(JSON.stringify(mail)).not.toContain(key);
    const rows = JSON.stringify([
      await shop.knex()('email_log').where({ related_id: order.id }),
      await shop.knex()('outbox'),
      await shop.knex()('order_events').where({ order_id: order.id }),
    ]);
    expect(rows).not.toContain(key);
  });

  it('that is not made yet is promised in plain words', async () => {
    const { shopper, order, thanks, email } = await guest();
    await shop.app.instance.database.transaction(({ knex }) =>
      knex('license_mints').where({ order_id: order.id }).update({ license_id: null, status: 'failed' }),
    );
    expect(textOf((await shopper.browser.open(thanks)).text)).toContain('Your license is being created');
    const { licenses_html: html } = await blocksOf(shop.app.ctx, order.id, {
      orderUrl: 'https://shop.example',
      to: email,
    });
    expect(html).toContain('Your license is being created');
  });

  it('is on the order in the account, in the browser that ordered, which leads to the license', async () => {
    const { who, order, card, key } = await shop.holder(sold.variantId);
    const page = `/shop/account/orders/${order.order_number}`;
    const { text } = await who.browser.open(page);
    expect(text).toContain(key);
    expect(text).toContain(`href="/shop/account/licenses/${card.id}"`);
    expect((await who.send(`/api/shop/orders/${order.order_number}`)).text).not.toContain(key);
  });
});

describe('a release', () => {
  const linkOf = async () => {
    const { token, licenseId } = await guest();
    const [first] = sold.releases;
    const ask = (body: object) =>
      shop.app.send(`/api/shop/orders/by-token/${token}/links`, { method: 'POST', body });
    const { body } = await ask({ license_id: licenseId, release_id: first?.id });
    return { url: (body.data as unknown as { url: string }).url, licenseId, ask };
  };
  const bytes = () => bundleOf(`${sold.licenseProduct.slug} 1.0.0`);
  const reasonOf = ({ status, body }: Awaited<ReturnType<ShopperShop['fetched']>>) => [
    status,
    (body.details as { reason?: string } | undefined)?.reason,
  ];

  it('is fetched once with its link, whole or in parts', async () => {
    const { url } = await linkOf();
    const head = await shop.fetched(url, {}, 'HEAD');
    expect([head.status, head.headers['content-length']]).toEqual([200, String(bytes().length)]);
    const answer = await shop.fetched(url);
    expect([answer.status, answer.text]).toEqual([200, bytes().toString()]);
    expect(answer.headers).toMatchObject({
      'x-bundle-sha256': createHash('sha256').update(bytes()).digest('hex'),
      'x-bundle-signature': expect.stringMatching(/^[A-Za-z0-9+/]{86}==$/),
      'content-disposition': expect.stringContaining('attachment; filename="app-1.0.0.zip"'),
      'cache-control': 'private, no-store',
    });
    expect(reasonOf(await shop.fetched(url))).toEqual([404, 'TOKEN_USED']);
    const part = await shop.fetched(url, { Range: 'bytes=10-' });
    expect([part.status, part.text]).toEqual([206, bytes().subarray(10).toString()]);
    shop.app.clock.advance(3601);
    expect(reasonOf(await shop.fetched(url, { Range: 'bytes=10-' }))).toEqual([404, 'TOKEN_USED']);
  });

  it('is had by one of two at once', async () => {
    const { url } = await linkOf();
    const both = await Promise.all([shop.fetched(url), shop.fetched(url)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
    const refused = both.find(({ status }) => status === 404);
    expect(refused && reasonOf(refused)).toEqual([404, 'TOKEN_USED']);
  });

  it('is not fetched late, nor with a license that was suspended, nor with one of another order', async () => {
    const late = await linkOf();
    shop.app.clock.advance(15 * 60 + 1);
    expect(reasonOf(await shop.fetched(late.url))).toEqual([404, 'TOKEN_EXPIRED']);
    const held = await linkOf();
    await suspend(shop.app.ctx, held.licenseId, { reason: 'ADMIN', note: null });
    expect(reasonOf(await shop.fetched(held.url))).toEqual([404, 'TOKEN_INVALID']);
    const release = { release_id: sold.releases[0]?.id };
    expect((await held.ask({ license_id: held.licenseId, ...release })).status).toBe(400);
    expect((await held.ask({ license_id: late.licenseId, ...release })).status).toBe(404);
    expect((await late.ask({ license_id: late.licenseId, release_id: 'rel_nobody' })).status).toBe(404);
    expect((await late.ask({ license_id: late.licenseId })).status).toBe(400);
  });

  it('is the file of a variant that promises the newest one, while a license of its line works', async () => {
    const own = await shop.program();
    await shop.staff.data(`/variants/${own.variantId}/files`, 'POST', { release_channel: 'stable' });
    const { who, order, card } = await shop.holder(own.variantId);
    const [file] = await who.data<{ id: string }[]>('/api/shop/downloads');
    const link = () => who.data<{ url: string }>(`/api/shop/downloads/${file?.id}/link`, 'POST', {});
    const answer = await shop.fetched((await link()).url);
    expect([answer.status, answer.text]).toEqual([
      200,
      bundleOf(`${own.licenseProduct.slug} 2.0.0`).toString(),
    ]);
    expect(answer.headers['x-bundle-signature']).toMatch(/^[A-Za-z0-9+/]{86}==$/);
    expect(order.id).not.toBe('');
    const { url } = await link();
    await suspend(shop.app.ctx, card.id, { reason: 'ADMIN', note: null });
    expect((await shop.fetched(url)).status).toBe(404);
  });

  it('that a variant promises before anything was published: the link says so, in the shop and in JSON', async () => {
    const { variantId } = await shop.licensed();
    for (const release_channel of ['stable', 'nightly'])
      await shop.staff.data(`/variants/${variantId}/files`, 'POST', { release_channel });
    const { who } = await shop.holder(variantId);
    const [file] = await who.data<{ id: string }[]>('/api/shop/downloads');
    const { url } = await who.data<{ url: string }>(`/api/shop/downloads/${file?.id}/link`, 'POST', {});
    const page = await who.browser.open(new URL(url).pathname);
    expect([page.status, textOf(page.text).includes('No release is available yet')]).toEqual([404, true]);
    expect(textOf(page.text)).not.toContain('no longer works');
    const token = url.split('/').at(-1);
    expect(reasonOf(await shop.app.send(`/api/shop/downloads/file/${token}`))).toEqual([404, 'NO_RELEASE']);
  });

  it('that is the newest is fetched by the button beside the order: by its link, and by the browser that ordered', async () => {
    const { shopper, thanks, token, licenseId } = await guest();
    const newest = sold.releases[1]?.id;
    const elsewhere = await newShopper(shop.app);
    for (const [browser, page] of [
      [shopper.browser, thanks],
      [elsewhere.browser, `/shop/order/${token}`],
    ] as const) {
      const { text } = await browser.open(page);
      expect(textOf(text)).toContain('app-2.0.0.zip');
      expect(textOf(text)).toContain(`${sold.licenseProduct.name} · Version 2.0.0`);
      expect(textOf(text)).not.toContain('app-1.0.0.zip');
      const sent = { _csrf: tokenIn(text), license: licenseId, release: newest ?? '' };
      const { headers } = await browser.post(`${page}/download`, sent);
      expect((await shop.fetched(String(headers.location))).text).toBe(
        bundleOf(`${sold.licenseProduct.slug} 2.0.0`).toString(),
      );
      const foreign = { ...sent, license: 'lic_nobody' };
      expect((await browser.post(`${page}/download`, foreign)).status).toBe(404);
    }
    const page = await elsewhere.browser.open(`/shop/order/${token}`);
    const sent = { _csrf: tokenIn(page.text), license: licenseId, release: newest ?? '' };
    await suspend(shop.app.ctx, licenseId, { reason: 'ADMIN', note: null });
    const { text } = await elsewhere.browser.open(`/shop/order/${token}`);
    expect(textOf(text)).not.toContain('app-2.0.0.zip');
    const late = await elsewhere.browser.post(`/shop/order/${token}/download`, sent);
    expect([late.status, textOf(late.text).includes('cannot be downloaded right now')]).toEqual([400, true]);
  });

  it('is fetched by the button of the account', async () => {
    const { who, card } = await shop.holder(sold.variantId);
    const path = `/api/shop/licenses/${card.id}/releases/${sold.releases[1]?.id}/link`;
    const { url } = await who.data<{ url: string }>(path, 'POST', {});
    expect((await shop.fetched(url)).text).toBe(bundleOf(`${sold.licenseProduct.slug} 2.0.0`).toString());
  });
});

it('who buys a license and pays later reads when the key comes, in the email and on the order', async () => {
  const soon = 'Your license key comes by email as soon as your payment has arrived.';
  const shopper = await newShopper(shop.app);
  await shopper.data('/cart/add', { variant_id: sold.variantId, quantity: 1 });
  const email = `later-${crypto.randomUUID()}@x.test`;
  const { source_id: _card, ...unpaid } = { ...shop.checkout(email), processor: 'offline' } as Record<
    string,
    unknown
  >;
  const { order } = await shopper.data<PlacedShown>('/checkout', unpaid);
  const how = { orderUrl: 'https://shop.example/o', to: email };
  expect(await blocksOf(shop.app.ctx, order.id, how)).toEqual({ licenses_html: `<p>${soon}</p>` });
  const thanks = `/shop/checkout/success/${order.order_number}`;
  expect((await shopper.browser.open(thanks)).text).toContain(soon);
  const token = await openAccess(shop.app.ctx, { id: order.id } as Parameters<typeof openAccess>[1]);
  expect((await shopper.browser.open(`/shop/order/${token}`)).text).toContain(soon);
  const amount = { amount_cents: Number((await shop.staff.data(`/orders/${order.id}`)).total_cents) };
  await shop.staff.data(`/orders/${order.id}/payments`, 'POST', { ...amount, method: 'bank_transfer' });
  expect((await shopper.browser.open(thanks)).text).not.toContain(soon);
});

it('licenses of a guest are in the account that the order is claimed for', async () => {
  const { email, licenseId } = await guest();
  const who = await customerClient(shop.app, { email });
  expect(await who.data('/api/shop/licenses')).toEqual([]);
  const { text } = await who.browser.open('/shop/account');
  await who.browser.post('/shop/account/claim-orders', { _csrf: tokenIn(text) });
  expect(await who.data('/api/shop/licenses')).toMatchObject([{ id: licenseId }]);
});

describe('a license that is taken back', () => {
  it('is mailed with its reason when the customer did not ask for it', async () => {
    const { order, email, key } = await guest();
    const { data } = (await shop.staff.send(`/orders/${order.id}`)).body as unknown as {
      data: { items: { id: string }[] };
    };
    await shop.staff.data(`/orders/${order.id}/refunds`, 'POST', {
      items: [{ order_item_id: data.items[0]?.id, quantity: 1 }],
      reason: 'goodwill',
    });
    const [mail] = await mailed(shop.app, email, 'license_revoked');
    expect(mail?.values).toMatchObject({
      product: sold.licenseProduct.name,
      reason: 'The payment was refunded.',
      order_number: order.order_number,
    });
    expect(JSON.stringify(mail)).not.toContain(key);
  });
});

describe('a product', () => {
  it('says what license a buyer gets, and what is new', async () => {
    const slug = (await shop.staff.data(`/products/${sold.productId}`)).slug;
    const { body } = await shop.app.send(`/api/shop/products/${slug}`);
    expect(body.data).toMatchObject({
      badges: ['license'],
      variants: [
        {
          license: {
            type: 'PERPETUAL',
            tier: 'PERSONAL',
            duration_days: null,
            max_activations: 2,
            release: { version: '2.0.0', changelog: 'About 2.0.0' },
          },
        },
      ],
    });
    const page = textOf((await shop.app.send(`/shop/products/${slug}`)).text);
    for (const words of [
      'Perpetual · Personal',
      'Machines per license: 2',
      'All updates',
      '2.0.0 · ',
      'About 2.0.0',
    ])
      expect(page).toContain(words);
    const plain = await shop.staff.data('/products', 'POST', {
      title: 'Plain',
      variants: [{ sku: 'PLAIN-1', price_cents: 100 }],
      type: 'physical',
      status: 'active',
    });
    const other = await shop.app.send(`/api/shop/products/${plain.slug}`);
    expect((other.body.data as unknown as { variants: object[] }).variants).toMatchObject([
      { license: null },
    ]);
  });
});
