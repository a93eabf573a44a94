// What staff do with licenses that variants are sold with, and with those of orders (storefront-api.md, S, V, X and AO).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyPrefix } from '#licensing/catalog/key-formats/index.ts';
import { create as createPolicy, remove as removePolicy } from '#licensing/catalog/policies/index.ts';
import { remove as removeProduct, setStatus } from '#licensing/catalog/products/index.ts';
import { keyOf } from '#licensing/licenses/licenses/index.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import { another } from '../storefront/store-client.ts';
import { type LicenseShop, openLicenseShop } from './license-shop.ts';

let shop: LicenseShop;
beforeAll(async () => {
  shop = await openLicenseShop();
}, 120_000);
afterAll(() => shop.app.close());

type Item = Record<string, unknown>;
const list = async (path: string): Promise<Item[]> =>
  (await shop.staff.send(path)).body.data as unknown as Item[];
const send = async (path: string, method: string, body?: object) => {
  const { status, body: answer } = await shop.staff.send(path, method, body);
  return { status, code: answer.error_code, message: JSON.stringify(answer), data: answer.data as Item };
};
/** A product of licenses that is a draft, with so many variants. */
async function draft(variants = 1) {
  const number = another();
  const made = await shop.staff.data('/products', 'POST', {
    title: `Suite ${number}`,
    type: 'license',
    ...(variants > 1 && { options: [{ name: 'Edition', values: ['A', 'B'] }] }),
    variants: ['A', 'B'].slice(0, variants).map((edition) => ({
      sku: `SUITE-${number}-${edition}`,
      price_cents: 4900,
      ...(variants > 1 && { option_values: { Edition: edition } }),
    })),
  });
  const ids = (made.variants as { id: string }[]).map(({ id }) => id);
  return { id: String(made.id), ids, first: ids[0] as string };
}
const terms = { type: 'PERPETUAL', tier: 'PERSONAL' };

describe('the license of a variant', () => {
  it('is none, is set, read, changed and removed', async () => {
    const { first } = await draft();
    const { id, slug } = await shop.app.product({ defaultMaxActivations: 2 });
    const policy = await createPolicy(shop.app.ctx, { name: `Policy ${another()}` });
    const path = `/variants/${first}/license-grant`;
    expect((await send(path, 'GET')).data).toBeNull();
    const set = await send(path, 'PUT', {
      ...terms,
      license_product_id: slug,
      policy_id: policy.name,
      max_activations: 3,
      features: { export: true },
      on_refund: 'suspend',
    });
    expect([set.status, set.data]).toMatchObject([
      200,
      {
        license_product_id: id,
        license_product: { slug, status: 'ACTIVE' },
        policy: policy.name,
        max_activations: 3,
        duration_days: null,
        features: { export: true },
        quantity_mode: 'one_per_unit',
        on_refund: 'suspend',
        problem: null,
      },
    ]);
    expect((await send(path, 'GET')).data).toEqual(set.data);
    expect((await send(path, 'PUT', { ...terms, license_product_id: id })).data).toMatchObject({
      policy_id: null,
      features: null,
      on_refund: 'revoke',
    });
    expect((await send(path, 'DELETE')).data).toEqual({ deleted: true });
    expect((await send(path, 'GET')).data).toBeNull();
  });

  it.each([
    [
      'a product that is not there',
      { license_product_id: 'prd_01J9ZK3T5W8Y2QF4M6N7P0R1SV' },
      'license_product_id',
    ],
    ['a policy that is not there', { policy_id: 'nothing' }, 'policy_id'],
    ['a trial without an end', { type: 'TRIAL' }, 'duration_days'],
    ['a perpetual one with an end', { duration_days: 30 }, 'duration_days'],
    ['too many machines', { max_activations: 1001 }, 'max_activations'],
  ])('is refused for %s', async (_what, wrong, field) => {
    const { first } = await draft();
    const { id } = await shop.app.product({});
    const refused = await send(`/variants/${first}/license-grant`, 'PUT', {
      ...terms,
      license_product_id: id,
      ...wrong,
    });
    expect([refused.status, refused.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(refused.message).toContain(field);
  });

  it('is set in the panel, where each field says what is wrong with it', async () => {
    const { id, first } = await draft();
    const license = await shop.app.product({});
    const { browser } = await member(shop.app);
    const path = `/store/products/${id}/license`;
    const save = async (fields: Record<string, string>) => {
      const said = { variant: first, do: 'save', product: license.id, type: 'PERPETUAL', tier: 'PERSONAL' };
      return browser.submit(path, { ...said, ...fields });
    };
    for (const [fields, name, words] of [
      [{ product: '' }, 'product', 'Choose the license product'],
      [{ days: 'abc' }, 'days', 'Enter a whole number'],
      [{ type: 'TRIAL' }, 'days', 'a TRIAL license needs an end date'],
      [{ machines: '0' }, 'machines', '1'],
      [{ version: 'x' }, 'version', 'one to three numbers'],
      [{ uses: '-1' }, 'uses', 'Enter a whole number'],
      [{ features: '{"a"' }, 'features', 'Enter a JSON object'],
    ] as const) {
      const { status, text } = await save(fields);
      const field = new RegExp(`id="field-${name}-error"[^>]*>([^<]*)`).exec(text)?.[1] ?? 'no message';
      expect([name, status, field]).toEqual([name, 400, expect.stringContaining(words)]);
    }
    expect((await save({ machines: '3' })).status).toBe(303);
    expect((await send(`/variants/${first}/license-grant`, 'GET')).data).toMatchObject({
      max_activations: 3,
    });
  });

  it('says when its license product or policy is gone or not sold any more', async () => {
    const { first } = await draft();
    const path = `/variants/${first}/license-grant`;
    const gone = await shop.app.product({});
    const policy = await createPolicy(shop.app.ctx, { name: `Gone ${another()}` });
    await send(path, 'PUT', { ...terms, license_product_id: gone.id, policy_id: policy.id });
    await removePolicy(shop.app.ctx, policy.id);
    expect((await send(path, 'GET')).data).toMatchObject({
      policy: null,
      problem: expect.stringContaining('policy'),
    });
    await setStatus(shop.app.ctx, gone.id, 'DISCONTINUED');
    await send(path, 'PUT', { ...terms, license_product_id: (await shop.app.product({})).id });
    const again = await draft();
    const old = await shop.app.product({});
    await send(`/variants/${again.first}/license-grant`, 'PUT', { ...terms, license_product_id: old.id });
    await setStatus(shop.app.ctx, old.id, 'DISCONTINUED');
    expect((await send(`/variants/${again.first}/license-grant`, 'GET')).data.problem).toContain(
      'discontinued',
    );
    await removeProduct(shop.app.ctx, old.id);
    expect((await send(`/variants/${again.first}/license-grant`, 'GET')).data).toMatchObject({
      license_product: null,
      problem: expect.stringContaining('deleted'),
    });
  });

  it('is chosen from the license products that there are', async () => {
    const { id, name } = await shop.app.product({ defaultMaxActivations: 4 });
    const [found] = await list(`/license-products?q=${encodeURIComponent(name)}`);
    expect(found).toMatchObject({ id, default_max_activations: 4, policies: expect.any(Array) });
  });
});

describe('a product of licenses', () => {
  it('is published once each of its variants has one', async () => {
    const { id, ids, first } = await draft(2);
    const { id: license } = await shop.app.product({});
    const grant = { ...terms, license_product_id: license };
    await send(`/variants/${first}/license-grant`, 'PUT', grant);
    const refused = await send(`/products/${id}/publish`, 'POST', {});
    expect(refused.message).toContain('INVALID_TRANSITION');
    expect(refused.message).toContain('-B of suite');
    await send(`/variants/${ids[1]}/license-grant`, 'PUT', grant);
    expect((await send(`/products/${id}/publish`, 'POST', {})).status).toBe(200);
  });

  it('that is published keeps its licenses, and gets no variant without one', async () => {
    const { productId, variantId } = await shop.licensed();
    const removed = await send(`/variants/${variantId}/license-grant`, 'DELETE');
    expect([removed.status, removed.message]).toEqual([400, expect.stringContaining('draft')]);
    const added = await send(`/products/${productId}/variants`, 'POST', {
      sku: `MORE-${another()}`,
      price_cents: 100,
    });
    expect([added.status, added.message]).toEqual([400, expect.stringContaining('draft')]);
    await shop.staff.data(`/products/${productId}`, 'PATCH', { short_description: 'Other words' });
  });
});

describe('licenses of orders', () => {
  it('are listed with their order, by status, order and license', async () => {
    const { variantId } = await shop.licensed({ maxActivations: 3 });
    const order = await shop.bought(variantId, 2);
    const [one, other] = await shop.mintsOf(order.id);
    const ofOrder = await list(`/license-grants?order_id=${order.id}&sort=created`);
    expect(ofOrder).toHaveLength(2);
    expect(ofOrder[0]).toMatchObject({
      order_number: order.order_number,
      status: 'minted',
      license_status: 'ACTIVE',
      activations_used: 0,
      max_activations: 3,
      error: null,
    });
    expect(String(ofOrder[0]?.key_masked)).toContain('****');
    expect(await list(`/license-grants?license_id=${one?.license_id}`)).toMatchObject([{ id: one?.id }]);
    expect(await list(`/license-grants?order_id=${order.id}&status=revoked`)).toEqual([]);
    expect((await send(`/license-grants/${other?.id}`, 'GET')).data).toMatchObject({ id: other?.id });
    const answer = (await shop.staff.send(`/orders/${order.order_number}/licenses`)).body;
    expect(answer).toMatchObject({ missing: [] });
    expect(answer.data).toHaveLength(2);
  });

  it('are found by order number, email and key, whole or as far as it is shown', async () => {
    const { variantId } = await shop.licensed();
    const order = await shop.bought(variantId);
    const [mint] = await shop.mintsOf(order.id);
    const key = await wholeKey(String(mint?.license_id));
    const found = async (path: string, q: string) =>
      (await list(`${path}?q=${encodeURIComponent(q)}`)).map(({ id }) => id);
    const shown = keyPrefix(key);
    for (const q of [
      String(order.order_number),
      key,
      ` ${key.toLowerCase()} `,
      // As somebody reads it from paper.
      shown + key.slice(shown.length).replaceAll('0', 'o').replaceAll('1', 'l'),
      shown,
      shown.toLowerCase(),
    ]) {
      expect([q, await found('/license-grants', q)]).toEqual([q, [mint?.id]]);
      expect([q, await found('/orders', q)]).toEqual([q, [order.id]]);
      expect([q, (await found('/customers', q)).length]).toEqual([q, 1]);
    }
    const { email } = await shop.staff.data(`/orders/${order.id}`);
    expect(await found('/license-grants', String(email))).toContain(mint?.id);
    expect(await found('/license-grants', `${key.slice(0, -1)}!`)).toEqual([]);
  });

  it('are suspended, reinstated and revoked with a reason that the order tells', async () => {
    const { variantId } = await shop.licensed();
    const order = await shop.bought(variantId);
    const [mint] = await shop.mintsOf(order.id);
    const path = `/license-grants/${mint?.id}`;
    expect((await send(`${path}/suspend`, 'POST', {})).status).toBe(400);
    const suspended = await send(`${path}/suspend`, 'POST', { reason: 'Shared in a forum' });
    expect(suspended.data).toMatchObject({ status: 'suspended', license_status: 'SUSPENDED' });
    expect((await send(`${path}/suspend`, 'POST', { reason: 'Again' })).status).toBe(200);
    const back = await send(`${path}/reinstate`, 'POST', { reason: 'It was a mistake' });
    expect(back.data).toMatchObject({ status: 'minted', license_status: 'ACTIVE', reason: null });
    const over = await send(`${path}/revoke`, 'POST', { reason: 'It was none' });
    expect(over.data).toMatchObject({ status: 'revoked', license_status: 'REVOKED' });
    const late = await send(`${path}/reinstate`, 'POST', { reason: 'x' });
    expect(late.message).toContain('INVALID_TRANSITION');
    const { events } = await shop.staff.data(`/orders/${order.id}`);
    expect((events as { body: string | null }[]).flatMap(({ body }) => body ?? [])).toEqual(
      expect.arrayContaining([
        'License suspended by staff: Shared in a forum',
        'License reinstated by staff: It was a mistake',
        'License revoked by staff: It was none',
      ]),
    );
    // Nothing of it is made anew.
    expect((await send(`/orders/${order.id}/licenses/mint`, 'POST')).status).toBe(200);
    expect(await shop.mintsOf(order.id)).toMatchObject([{ status: 'revoked' }]);
  });

  it('that are missing say why, and are made again', async () => {
    const { variantId, licenseProduct } = await shop.licensed();
    const order = await shop.bought(variantId, 2, 'offline');
    expect((await shop.staff.send(`/orders/${order.id}/licenses`)).body).toMatchObject({
      data: [],
      missing: [{ units: 2, error: null }],
    });
    const stored = await shop.knex()('license_products').where({ id: licenseProduct.id }).first();
    await removeProduct(shop.app.ctx, licenseProduct.id);
    await shop.staff.data(`/orders/${order.id}/payments`, 'POST', {
      amount_cents: order.total_cents,
      method: 'cash',
    });
    const missing = (await shop.staff.send(`/orders/${order.id}/licenses`)).body;
    expect(missing).toMatchObject({
      data: [{ status: 'failed' }, { status: 'failed' }],
      missing: [{ units: 2, error: expect.stringContaining(licenseProduct.id) }],
    });
    const { browser } = await member(shop.app);
    const tab = async (id: string) => (await browser.open(`/store/orders/${id}?tab=licenses`)).text;
    expect(await tab(order.id)).toContain('Create missing licenses');
    const [failed] = await shop.mintsOf(order.id);
    expect(textOf((await browser.open(`/store/licenses/${failed?.id}`)).text)).toContain('Next try');
    await shop.app.instance.database.transaction(({ knex }) => knex('license_products').insert(stored));
    const [one] = await shop.mintsOf(order.id);
    expect((await send(`/license-grants/${one?.id}/mint`, 'POST')).data).toMatchObject({ status: 'minted' });
    expect((await shop.staff.send(`/orders/${order.id}/licenses/mint`, 'POST')).body).toMatchObject({
      data: [{ status: 'minted' }, { status: 'minted' }],
      missing: [],
    });
    expect(await tab(order.id)).not.toContain('Create missing licenses');
  });

  it('are those of a customer', async () => {
    const { variantId } = await shop.licensed();
    const order = await shop.bought(variantId);
    const { customer_id: customer } = await shop.staff.data(`/orders/${order.id}`);
    const [held] = await list(`/customers/${customer}/licenses?per_page=1`);
    expect(held).toMatchObject({ order_id: order.id, status: 'minted' });
    expect((await send('/customers/cus_nobody/licenses', 'GET')).status).toBe(404);
  });
});

/** The whole key, as its customer has it. */
function wholeKey(licenseId: string): Promise<string> {
  return keyOf(shop.app.ctx, licenseId);
}

describe('a license that is made by hand', () => {
  const made = (metadata: Record<string, string>, productId: string) =>
    shop.app.license({ productId, metadata, orderId: metadata.store_order ?? 'other-1' });

  it('stands with the order that it names, and only with that', async () => {
    const { variantId, licenseProduct } = await shop.licensed();
    const order = await shop.bought(variantId);
    const license = await made({ store_order: String(order.order_number) }, licenseProduct.id);
    await made({}, licenseProduct.id);
    const shown = (await shop.staff.send(`/orders/${order.id}/licenses`)).body;
    expect(shown).toMatchObject({ missing: [] });
    expect((shown.data as unknown as Item[]).map(({ license_id }) => license_id)).toContain(license.id);
    expect(shown.data).toHaveLength(2);
    await expect(made({ store_order: 'nothing' }, licenseProduct.id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
