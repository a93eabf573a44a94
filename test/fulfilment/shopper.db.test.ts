// Licenses as whoever bought them sees and uses them by JSON (fulfilment section 8, 9; storefront-api G and M).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { suspend } from '#licensing/licenses/licenses/index.ts';
import { customerClient } from '../storefront/customer-client.ts';
import { type CardShown, openShopperShop, type ShopperShop } from './shopper-shop.ts';

let shop: ShopperShop;
let sold: Awaited<ReturnType<ShopperShop['program']>>;
beforeAll(async () => {
  shop = await openShopperShop();
  sold = await shop.program();
}, 120_000);
afterAll(() => shop.app.close());

const MASKED = /^[0-9A-Z]+-[0-9A-Z]{2,}-[*-]+$/;

describe('licenses of a customer', () => {
  it('are listed with masked keys, shown one by one, and listed with their order', async () => {
    const { who, order, card, key } = await shop.holder(sold.variantId);
    expect(card).toMatchObject({
      product: sold.licenseProduct.name,
      status: 'ACTIVE',
      type: 'PERPETUAL',
      valid_until: null,
      activations_used: 0,
      max_activations: 2,
      order_number: order.order_number,
      actions: { can_reveal: true, can_download: true },
    });
    expect(card.key_masked).toMatch(MASKED);
    await shop.activate(key, 'machine-0123456789', { machineName: 'Desk' });
    const one = await who.data(`/api/shop/licenses/${card.id}`);
    expect(one).toMatchObject({ activations_used: 1, uses: null, activations: [{ machine_name: 'Desk' }] });
    const ofOrder = await who.data<CardShown[]>(`/api/shop/orders/${order.order_number}/licenses`);
    expect(ofOrder.map(({ id }) => id)).toEqual([card.id]);
    expect(await who.data('/api/shop/licenses?status=REVOKED')).toEqual([]);
    const texts = [
      await who.send('/api/shop/licenses'),
      await who.send(`/api/shop/licenses/${card.id}`),
      await who.send(`/api/shop/orders/${order.order_number}/licenses`),
    ].map(({ text }) => text);
    for (const text of texts) expect(text).not.toContain(key);
  });

  it('of somebody else, and unknown ones, are not there', async () => {
    const { card, order } = await shop.holder(sold.variantId);
    const eve = await customerClient(shop.app);
    for (const id of [card.id, 'lic_nobody'])
      for (const [path, method] of [
        ['', 'GET'],
        ['/activations', 'GET'],
        ['/releases', 'GET'],
        ['/reveal', 'POST'],
        ['/activations/act_x', 'DELETE'],
        ['/activations/act_x/offline-token', 'POST'],
        [`/releases/${sold.releases[0]?.id}/link`, 'POST'],
      ] as const)
        expect([path, ...(await eve.refusal(`/api/shop/licenses/${id}${path}`, method))]).toEqual([
          path,
          404,
          'NOT_FOUND',
          undefined,
        ]);
    expect(await eve.refusal(`/api/shop/orders/${order.order_number}/licenses`)).toEqual([
      404,
      'NOT_FOUND',
      undefined,
    ]);
    expect((await shop.app.send('/api/shop/licenses')).status).toBe(401);
  });
});

describe('the key', () => {
  it('is shown to whoever signed in just now; later the password is asked for', async () => {
    const { who, card, key } = await shop.holder(sold.variantId);
    const path = `/api/shop/licenses/${card.id}/reveal`;
    const audited = async () => (await shop.knex()('audit_log').select('seq')).length;
    const before = await audited();
    const { result, changes } = await shop.app.changesBy(() => who.data(path, 'POST', {}));
    expect(result).toEqual({ key });
    expect(changes.events).toContain('LICENSE_KEY_REVEALED');
    expect(await audited()).toBe(before + 1);
    shop.app.clock.advance(15 * 60 + 1);
    const missing = await who.send(path, 'POST', {});
    expect([missing.status, missing.body.error_code]).toEqual([400, 'VALIDATION_MISSING_FIELD']);
    expect(missing.text).not.toContain(key);
    expect(await who.refusal(path, 'POST', { password: 'wrong' })).toEqual([
      400,
      'VALIDATION_ERROR',
      undefined,
    ]);
    expect(await who.data(path, 'POST', { password: who.password })).toEqual({ key });
    // It was given just now.
    expect(await who.data(path, 'POST', {})).toEqual({ key });
  });
});

describe('machines', () => {
  it('are released, and another one takes the place at once', async () => {
    const { who, card, key } = await shop.holder(sold.variantId);
    await shop.activate(key, 'machine-a');
    await shop.activate(key, 'machine-b');
    expect((await shop.activate(key, 'machine-c')).body.success).toBe(false);
    const [first] = await who.data<{ id: string }[]>(`/api/shop/licenses/${card.id}/activations`);
    const path = `/api/shop/licenses/${card.id}/activations/${first?.id}`;
    expect(await who.data(path, 'DELETE')).toEqual({ activations_used: 1, max_activations: 2 });
    expect((await shop.validate(key, 'machine-a')).body.valid).toBe(false);
    expect((await shop.activate(key, 'machine-c')).status).toBe(200);
    expect(await who.refusal(path, 'DELETE')).toEqual([404, 'NOT_FOUND', undefined]);
  });
});

describe('releases', () => {
  interface Shown {
    readonly release_id: string;
    readonly version: string;
    readonly sha256: string;
  }
  const releasesOf = async (who: Awaited<ReturnType<typeof customerClient>>, id: string) =>
    who.data<Shown[]>(`/api/shop/licenses/${id}/releases`);

  it('are those that the license opens; one that is suspended opens none', async () => {
    const { who, card } = await shop.holder(sold.variantId);
    const found = await releasesOf(who, card.id);
    expect(found.map(({ version }) => version)).toEqual(['2.0.0', '1.0.0']);
    const path = `/api/shop/licenses/${card.id}/releases`;
    expect((await who.refusal(`${path}?channel=none`))[0]).toBe(400);
    const link = `${path}/${found[0]?.release_id}/link`;
    const { url } = await who.data<{ url: string }>(link, 'POST', {});
    await suspend(shop.app.ctx, card.id, { reason: 'ADMIN', note: null });
    expect(await who.refusal(path)).toEqual([400, 'VALIDATION_ERROR', 'LICENSE_INACTIVE']);
    expect(await who.refusal(link, 'POST', {})).toEqual([400, 'VALIDATION_ERROR', 'LICENSE_INACTIVE']);
    expect((await shop.fetched(url)).status).toBe(404);
    expect((await who.refusal(`${path}/rel_nobody/link`, 'POST', {}))[0]).toBe(400);
  });
});
