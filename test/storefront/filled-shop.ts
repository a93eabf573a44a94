// A shop in which every list of staff has something: for tests that look at all of its pages.
import sharp from 'sharp';
import { passwordResetMail, queueMail } from '#platform/mail/index.ts';
import * as inventory from '#storefront/catalog/inventory/index.ts';
import { get as getOrder, openAccess, orderPath } from '#storefront/orders/orders/index.ts';
import * as newsletter from '#storefront/people/newsletter/index.ts';
import * as giftCards from '#storefront/pricing/gift-cards/index.ts';
import * as promotions from '#storefront/pricing/promotions/index.ts';
import { block } from '../../src/platform/mail/blocks/blocks.ts';
import type { TestApp } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { customerDesk, fillCustomers } from './filled-customers.ts';
import { fillOrders, fillReports, fillReturns, fillStaffOrders, licensePages } from './filled-orders.ts';
import { another, mug, shirt, storeClient } from './store-client.ts';

export interface FilledShop {
  /** Pages of the shop that answer 200. */
  readonly pages: readonly string[];
  /** Pages of staff that no list leads to. */
  readonly desk: readonly string[];
  /** And 404. */
  readonly missing: readonly string[];
}

type Client = Awaited<ReturnType<typeof storeClient>>;

/** Fills the shop of an installation through its staff API. */
export async function fillShop(app: TestApp): Promise<FilledShop> {
  const client = await storeClient(app);
  const mediaId = await uploaded(app);
  await fillSettings(client);
  const { slug: top, id: parentId } = await client.data('/categories', 'POST', { name: 'Clothes' });
  const { slug: below, id: categoryId } = await client.data('/categories', 'POST', {
    name: 'Shirts and other things with a very long name that no phone shows on one line',
    parent_id: parentId,
    description: 'All shirts.',
  });
  const shirts = await client.data(
    '/products',
    'POST',
    shirt({
      ...sold,
      title: 'A shirt whose title is long enough to be cut by every layout that counts on short ones',
      category_ids: [categoryId],
      media_ids: [mediaId],
      tags: ['summer', 'linen'],
    }),
  );
  const mugs = await client.data('/products', 'POST', mug({ ...sold, category_ids: [parentId] }));
  const related = { items: [{ product_id: mugs.id, kind: 'related' }] };
  await client.data(`/products/${shirts.id}/related`, 'PUT', related);
  const collections = await fillCollections(client, String(mugs.id));
  const variantIds = (mugs.variants as { id: string }[]).map(({ id }) => id);
  const method = await fillDelivery(client);
  await fillStock(app, client, variantIds[0] ?? '');
  await fillPromotions(app, client);
  const card = await fillGiftCards(app);
  await fillCardsOnSale(client);
  const order = await fillOrders(app, client, String((shirts.variants as { id: string }[])[0]?.id), method);
  const staffs = await fillStaffOrders(client, String((shirts.variants as { id: string }[])[0]?.id));
  const ownOrder = orderPath(await openAccess(app.ctx, await getOrder(app.ctx, order)));
  const back = await fillReturns(client, order);
  const page = await fillWords(app, client);
  const customer = await fillCustomers(app, client);
  await Promise.all([fillMail(app), fillReports(app)]);
  return {
    pages: [
      '/shop/',
      '/shop/products',
      '/shop/products?option.Color=Red&tag=summer&sort=price_asc',
      `/shop/products/${shirts.slug}`,
      `/shop/products/${mugs.slug}`,
      `/shop/categories/${top}`,
      `/shop/categories/${below}`,
      `/shop/pages/${page}`,
      `/shop/pages/${page}?lang=ar`,
      '/shop/contact',
      '/shop/contact?sent=1',
      '/shop/newsletter',
      '/shop/newsletter?sent=1&lang=ja',
      ...['/shop/gift-cards', '/shop/gift-cards/balance', '/shop/track'].flatMap((one) => [
        one,
        `${one}?lang=ar`,
      ]),
      ownOrder,
      `${ownOrder}?lang=ar`,
      `${ownOrder}/return`,
      `${ownOrder}/returns/${back.number}`,
      `${ownOrder}/returns/${back.number}?lang=ar`,
      staffs.payPath,
      `${staffs.payPath}?lang=ar`,
      '/shop/collections',
      ...collections.map((slug) => `/shop/collections/${slug}`),
      '/shop/search',
      '/shop/search?q=shirt',
      '/shop/search?q=xqzzy',
      '/shop/?lang=ar',
      `/shop/products/${shirts.slug}?lang=ar`,
      `/shop/products/${shirts.slug}?lang=de`,
    ],
    desk: [
      '/store/',
      '/store/settings',
      ...['general', 'branding'].map((one) => `/store/settings/${one}`),
      ...['', '-templates', '-templates/order_confirmation', '-templates/password_reset?lang=ar'].map(
        (one) => `/store/settings/email${one}`,
      ),
      '/admin/profile/emails',
      ...['features', 'labels'].map((one) => `/store/settings/${one}`),
      '/store/navigation',
      '/store/brands',
      '/store/sample',
      '/store/media/upload',
      '/store/inventory/counts',
      '/store/products/grid',
      `/store/products/${shirts.id}/variants`,
      `/store/variants/${variantIds[0]}/price-tiers`,
      `/store/variants/${variantIds[0]}/files`,
      '/store/promotions/simulator',
      ...[...customerDesk(customer), ...licensePages(shirts, order)],
      '/store/orders/new',
      ...['', '/place', '/edit', '/addresses'].map((rest) => `/store/orders/${staffs.draft}${rest}`),
      ...['', '/payment-link', '/cancel'].map((rest) => `/store/orders/${staffs.waiting}${rest}`),
      ...[
        'payments',
        'refunds',
        'events',
        'payments/new',
        'shipments',
        'shipments/new',
        'cancel',
        'hold',
        'notes',
        'complete',
      ].map((page) => `/store/orders/${order}/${page}`),
      '/store/settings/returns',
      '/store/returns/new',
      `/store/returns/new?order=${order}`,
      ...['refund', 'exchange'].map((page) => `/store/returns/${back.received}/${page}`),
      ...['approve', 'receive'].map((page) => `/store/returns/${back.awaited}/${page}`),
      '/store/settings/gift-cards',
      ...['', '/stripe', '/square', '/paypal', '/offline'].map((one) => `/store/settings/payment${one}`),
      `/store/gift-cards/${card}/balance`,
      `/store/gift-cards/${card}/ledger`,
      `/store/inventory/${variantIds[0]}/movements`,
      '/store/settings/tax',
      `/store/settings/shipping-methods/${method}/rates`,
      '/api-docs.html',
    ],
    missing: ['/shop/nothing', '/shop/products/nothing', '/shop/order/nothing'],
  };
}

const sold = {
  status: 'active',
  brand: 'Harbour',
  short_description: 'For every day.',
  description_html: '<p>Made of linen.</p><ul><li>Washable</li></ul>',
};

/** A picture with its sizes. */
async function uploaded(app: TestApp): Promise<string> {
  const background = { r: another() % 256, g: 120, b: 128 };
  const bytes = await sharp({ create: { width: 1300, height: 900, channels: 3, background } })
    .jpeg()
    .toBuffer();
  const { secret } = await app.adminToken('owner');
  const answer = await fetch(new URL('/api/store/media?file_name=front.jpg&alt=Front', app.url), {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  });
  const { data } = (await answer.json()) as { data: { id: string } };
  await runJob(app.ctx, 'media-variants');
  return data.id;
}

/** Two emails that wait, one that cannot be sent, and an address that was refused. */
const fillMail = (app: TestApp): Promise<void> =>
  app.ctx.tx(async (ctx) => {
    const values = { reset_url: 'https://shop.example/reset', ip: '192.0.2.1' };
    for (const address of ['ann@mail.example', 'bob@mail.example', 'nobody'])
      await queueMail(ctx, passwordResetMail, {
        to: { address, name: 'Ann' },
        locale: 'en',
        values,
        dedupe: address,
        related: { type: 'order', id: 'ord_00000000000000000000000001' },
      });
    await block(ctx, { address: 'gone@mail.example', reason: '550 no such user', emailId: null });
  });

async function fillCollections(client: Client, productId: string): Promise<string[]> {
  const byHand = await client.data('/collections', 'POST', { title: 'Picks', kind: 'manual' });
  await client.data(`/collections/${byHand.id}/products`, 'PUT', { product_ids: [productId] });
  const byRules = await client.data('/collections', 'POST', {
    title: 'Summer',
    kind: 'rule',
    rules: [{ field: 'tag', op: 'is', value: 'summer' }],
  });
  return [String(byHand.slug), String(byRules.slug)];
}

/** Keys, webhooks with a delivery, which comes with the first product, and what prices are by. */
async function fillSettings(client: Client): Promise<void> {
  await client.data('/api-keys', 'POST', { name: 'sync', scopes: ['products:write'] });
  // Nobody listens there: a delivery waits for its next attempt.
  await client.data('/webhooks', 'POST', { url: 'http://127.0.0.1:2999/store', events: ['*'] });
  await client.data('/price-lists', 'POST', { name: 'Resellers', kind: 'percent', adjust_bps: -1000 });
}

/** A zone of tax and one of shipping. @returns the id of its method */
async function fillDelivery(client: Client): Promise<string> {
  const regions = [{ country: 'DE' }, { country: 'US', state: 'CA', postal_pattern: '902*' }];
  const tax = await client.data('/tax/zones', 'POST', { name: 'Home', regions });
  const { body } = await client.send('/tax/classes?q=standard');
  const [standard] = body.data as unknown as { id: string }[];
  const rate = { name: 'VAT', tax_class_id: standard?.id, rate_ppm: 190_000 };
  await client.data(`/tax/zones/${tax.id}/rates`, 'POST', rate);
  const zone = await client.data('/shipping/zones', 'POST', { name: 'Home', regions });
  const path = `/shipping/zones/${zone.id}/methods`;
  const { id } = await client.data(path, 'POST', { name: 'Parcel', kind: 'weight' });
  const rates = [
    { max: 1000, price_cents: 490 },
    { min: 1000, price_cents: 690, per_unit_cents: 100 },
  ];
  await client.data(`/shipping/methods/${id}/rates`, 'PUT', { rates });
  await client.data('/shipping/classes', 'POST', { name: 'Bulky', handling_cents: 500 });
  return id;
}

/** A coupon with codes of which an order has used one. */
async function fillPromotions(app: TestApp, client: Client): Promise<void> {
  const promotion = await client.data('/promotions', 'POST', {
    name: 'Summer sale',
    type: 'coupon',
    effect: 'percent',
    percent_bps: 1000,
    code: 'SUMMER',
    status: 'active',
  });
  await client.data(`/promotions/${promotion.id}/codes`, 'POST', { count: 3, prefix: 'SUN-' });
  const codes = await client.send(`/promotions/${promotion.id}/codes`);
  const [code] = codes.body.data as unknown as { id: string }[];
  const buyer = { orderId: 'ord_1', customerId: null, emailNorm: 'bob@x.test' };
  await promotions.take(app.ctx, buyer, [
    { promotionId: promotion.id, codeId: code?.id ?? null, amountCents: 190 },
  ]);
}

/** A card of which an order has spent some and another one holds some. @returns its id */
/** A gift card that the shop sells. */
const fillCardsOnSale = (client: Client) =>
  client.data('/products', 'POST', {
    ...sold,
    title: 'Gift card for everything that the shop sells',
    type: 'gift_card',
    variants: [{ sku: 'CARD-1', price_cents: 5000, requires_shipping: false }],
  });

async function fillGiftCards(app: TestApp): Promise<string> {
  const issue = {
    amountCents: 5000,
    currency: 'USD',
    state: 'active',
    recipientEmail: 'eve@x.test',
  } as const;
  const { id } = (await giftCards.issue(app.ctx, issue)).card;
  for (const orderId of ['ord_1', 'ord_2'])
    await giftCards.hold(app.ctx, { giftCardId: id, orderId, amountCents: 700 });
  await giftCards.spend(app.ctx, { giftCardId: id, orderId: 'ord_1', amountCents: 700 });
  return id;
}

/** A variant that is counted, sold out of and held. */
async function fillStock(app: TestApp, client: Client, variantId: string): Promise<void> {
  await client.data(`/inventory/${variantId}`, 'PATCH', { track_inventory: true });
  await client.data(`/inventory/${variantId}/adjust`, 'POST', { set_to: 3, reason: 'count' });
  const wanted = [{ variantId, orderItemId: 'oit_1', quantity: 1 }];
  await inventory.reserve(app.ctx, 'ord_1', wanted, '2099-01-01T00:00:00.000Z');
  await client.data(`/variants/${variantId}/price-tiers`, 'PUT', {
    tiers: [{ min_quantity: 10, unit_cents: 1500 }],
  });
}

/** A page, a message and somebody who wants to hear more. @returns the slug of the page */
async function fillWords(app: TestApp, client: Client): Promise<string> {
  const page = await client.data('/pages', 'POST', {
    title: 'Shipping',
    body_markdown: `## How we ship\n\n- **Every** weekday\n- [Ask us](/shop/contact)\n\n| Country | Days |\n| --- | --- |\n| Germany | 2 |\n\n\`${'code'.repeat(30)}\`\n\n> Soon`,
    status: 'published',
  });
  await app.send('/api/shop/contact', {
    method: 'POST',
    body: { email: 'bob@x.test', subject: 'A question', message: 'Where is my mug?' },
  });
  const consent = { email: 'eve@x.test', locale: 'en', consentText: 'Send me news.' };
  await newsletter.subscribe(app.ctx, consent);
  return String(page.slug);
}
