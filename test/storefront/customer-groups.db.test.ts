// Groups of customers: who belongs to them, by hand or by a rule, and what they do to prices, tax and promotions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyCart, goodsOf, listsOfVariant, priceLines, unitOf } from '#storefront/buying/cart/index.ts';
import { changeCustomer, lockCustomer } from '#storefront/people/customers/index.ts';
import { buyerOf, settleGroups } from '#storefront/people/groups/index.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { ANN } from './shopper.ts';

let shop: OrderShop;
let client: OrderShop['staff'];
beforeAll(async () => {
  shop = await openOrderShop();
  client = shop.staff;
});
afterAll(() => shop.app.close());

let made = 0;
const address = (name = 'g') => `${name}-${++made}@x.test`;
const customer = (fields: object = {}) => client.data('/customers', 'POST', { email: address(), ...fields });
const group = (fields: object = {}) =>
  client.data('/customer-groups', 'POST', { name: `Group ${++made}`, ...fields });
const membersOf = async (id: string): Promise<string[]> =>
  (
    (await client.send(`/customers?per_page=100&sort=created&group_id=${id}`)).body.data as unknown as {
      id: string;
    }[]
  ).map((one) => one.id);
const rule = (field: string, op: string, value: string) => ({ conditions: [{ field, op, value }] });

it('a group has members that staff choose', async () => {
  const [a, b] = [await customer(), await customer()];
  const one = await group();
  expect(one).toMatchObject({ rule: null, price_list_id: null, tax_exempt: false, member_count: 0 });
  expect(await client.data(`/customer-groups/${one.id}/members`, 'PUT', { add: [a.id, b.id, a.id] })).toEqual(
    {
      count: 2,
    },
  );
  expect(await membersOf(one.id)).toEqual([a.id, b.id]);
  expect(await client.data(`/customer-groups/${one.id}/members`, 'PUT', { remove: [a.id] })).toEqual({
    count: 1,
  });
  expect((await client.data(`/customers/${b.id}`)).groups).toEqual([{ id: one.id, name: one.name }]);
  expect(await client.data(`/customers/${b.id}`, 'PATCH', { group_ids: [] })).toMatchObject({ groups: [] });
  const all = (await client.send('/customer-groups')).body;
  expect(all.pagination).toBeUndefined();
  expect(all.data).toContainEqual(expect.objectContaining({ id: one.id, member_count: 0 }));
  expect((await client.send(`/customer-groups/${one.id}`, 'DELETE')).status).toBe(200);
  expect((await client.send(`/customers/${b.id}`)).status).toBe(200);
});

it.each([
  ['name', { name: '' }],
  ['rule.conditions', { name: 'x', rule: { conditions: [] } }],
  ['rule.conditions.0.op', { name: 'x', rule: rule('country', 'at_least', 'DE') }],
  ['rule.conditions.0.value', { name: 'x', rule: rule('country', 'is', 'Germany') }],
  ['rule.conditions.0.value', { name: 'x', rule: rule('order_count', 'at_least', 'three') }],
  ['rule.conditions.0.value', { name: 'x', rule: rule('registered', 'since', '2026-02-30') }],
  ['rule.conditions.0.value', { name: 'x', rule: rule('last_order_days', 'within', '0') }],
  ['rule.conditions.0.value', { name: 'x', rule: rule('accepts_marketing', 'is', 'yes') }],
  ['rule.conditions.0.field', { name: 'x', rule: rule('password_hash', 'is', 'x') }],
  ['price_list_id', { name: 'x', price_list_id: 'prl_no' }],
])('refuses a wrong %s', async (field, body) => {
  const { status, body: answer } = await client.send('/customer-groups', 'POST', body);
  const details = answer.details as unknown as { fields?: { field: string }[] };
  expect([status, details.fields?.[0]?.field]).toEqual([400, field]);
});

it('a name is given once, and members of a rule are not chosen', async () => {
  const one = await group({ rule: rule('tag', 'is', 'never') });
  expect(await client.refusal('/customer-groups', 'POST', { name: one.name })).toEqual([
    400,
    'VALIDATION_ERROR',
    'DUPLICATE',
  ]);
  const { id } = await customer();
  expect(await client.refusal(`/customer-groups/${one.id}/members`, 'PUT', { add: [id] })).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  const hand = await group();
  expect((await client.refusal(`/customer-groups/${hand.id}/members`, 'PUT', { add: ['cst_no'] }))[0]).toBe(
    400,
  );
});

describe('a rule', () => {
  it('fills its group at once, with a change of a customer, and by a job', async () => {
    const early = await customer({ tags: ['wholesale'] });
    const one = await group({ rule: rule('tag', 'is', 'wholesale') });
    expect(await membersOf(one.id)).toEqual([early.id]);
    const late = await customer();
    await client.data(`/customers/${late.id}/tags`, 'POST', { add: ['wholesale'] });
    expect(await membersOf(one.id)).toEqual([early.id, late.id]);
    await client.data(`/customers/${early.id}/tags`, 'POST', { remove: ['wholesale'] });
    expect(await membersOf(one.id)).toEqual([late.id]);
    await client.data(`/customer-groups/${one.id}`, 'PATCH', { rule: rule('tag', 'is', 'nothing') });
    expect(await membersOf(one.id)).toEqual([]);
  });

  it('looks at orders, countries and time', async () => {
    const variant = await shop.stocked(9);
    const email = address('buyer');
    await shop.placed(variant, 1, 'fake', { email });
    const [{ id }] = (await client.send(`/customers?q=${email}`)).body.data as unknown as [{ id: string }];
    const rules: [object, boolean][] = [
      [rule('order_count', 'at_least', '1'), true],
      [rule('order_count', 'at_least', '2'), false],
      [rule('spent_cents', 'at_least', '2400'), true],
      [rule('spent_cents', 'at_most', '2399'), false],
      [rule('last_order_days', 'within', '30'), true],
      [rule('last_order_days', 'before', '30'), false],
      [rule('country', 'is', 'US,DE'), true],
      [rule('country', 'is_not', 'US'), false],
      [rule('has_account', 'is', 'false'), true],
      [rule('registered_days', 'within', '30'), false],
      [rule('accepts_marketing', 'is', 'true'), false],
      [
        {
          match: 'any',
          conditions: [
            { field: 'order_count', op: 'at_least', value: '99' },
            { field: 'country', op: 'is', value: 'US' },
          ],
        },
        true,
      ],
      [
        {
          match: 'all',
          conditions: [
            { field: 'order_count', op: 'at_least', value: '99' },
            { field: 'country', op: 'is', value: 'US' },
          ],
        },
        false,
      ],
    ];
    for (const [one, is] of rules) {
      const { id: groupId } = await group({ rule: one });
      expect([one, (await membersOf(groupId)).includes(id)]).toEqual([one, is]);
    }
    await settleGroups(shop.app.ctx);
    const { id: latest } = await group({ rule: rule('order_count', 'at_least', '2') });
    await shop.placed(variant, 1, 'fake', { email });
    expect(await membersOf(latest)).not.toContain(id);
    await settleGroups(shop.app.ctx);
    expect(await membersOf(latest)).toContain(id);
  });
});

describe('prices', () => {
  const priced = async (customerId: string, variantId: string, quantity = 1) => {
    const { ctx } = shop.app;
    const buyer = await buyerOf(ctx, customerId);
    const goods = await goodsOf(ctx, variantId);
    if (!goods) throw new Error('no such goods');
    const line = { ...goods, itemId: 'x', lineKey: 'x', quantity, giftCard: null, fulfilment: null };
    const terms = { tiers: new Map(), lists: await listsOfVariant(ctx, buyer, variantId), now: ctx.now() };
    const unitCents = unitOf(line, terms);
    const cart = emptyCart(ctx, { customerId, sessionKey: null });
    const { price } = await priceLines(
      ctx,
      { cart, buyer, lines: [line], units: [unitCents], codes: [], giftCards: [] },
      {},
    );
    return { unitCents, totalCents: price.totals.totalCents };
  };
  const list = (fields: object) =>
    client.data('/price-lists', 'POST', { name: `List ${++made}`, kind: 'percent', ...fields });

  it('are the lowest of the lists of the groups, while a list holds', async () => {
    const variant = await shop.stocked(5);
    const { id } = await customer();
    expect((await priced(id, variant)).unitCents).toBe(1900);
    const cheaper = await list({ adjust_bps: -1000 });
    const cheapest = await list({ adjust_bps: -2000 });
    const over = await list({ adjust_bps: -9000, active: false });
    const ids = await Promise.all(
      [cheaper, cheapest, over].map(async (one) => (await group({ price_list_id: one.id })).id),
    );
    await client.data(`/customers/${id}`, 'PATCH', { group_ids: [ids[0], ids[2]] });
    expect((await priced(id, variant)).unitCents).toBe(1710);
    await client.data(`/customers/${id}`, 'PATCH', { group_ids: ids });
    expect((await priced(id, variant)).unitCents).toBe(1520);
  });

  it('of a fixed list begin with a quantity', async () => {
    const variant = await shop.stocked(50);
    const { id } = await customer();
    const fixed = await list({ kind: 'fixed' });
    await client.data(`/price-lists/${fixed.id}/prices`, 'POST', {
      variant_id: variant,
      min_quantity: 10,
      unit_cents: 900,
    });
    const one = await group({ price_list_id: fixed.id });
    await client.data(`/customer-groups/${one.id}/members`, 'PUT', { add: [id] });
    expect((await priced(id, variant, 9)).unitCents).toBe(1900);
    expect((await priced(id, variant, 10)).unitCents).toBe(900);
    expect(await client.refusal(`/price-lists/${fixed.id}`, 'DELETE', { note: 'x' })).toEqual([
      400,
      'VALIDATION_ERROR',
      'IN_USE',
    ]);
  });

  it('of an order that staff write are those of the account, never of a guest with its address', async () => {
    const variant = await shop.stocked(5);
    const account = await customer();
    const half = await list({ adjust_bps: -5000 });
    const one = await group({ price_list_id: half.id });
    await client.data(`/customer-groups/${one.id}/members`, 'PUT', { add: [account.id] });
    const order = (who: object) =>
      client.data('/orders', 'POST', {
        ...who,
        items: [{ variant_id: variant, quantity: 1 }],
        shipping_address: ANN,
        shipping_cents: 0,
      });
    const own = await order({ customer_id: account.id });
    const guest = await order({ email: account.email });
    expect([own.subtotal_cents, guest.subtotal_cents]).toEqual([950, 1900]);
  });

  it('have no tax for somebody exempt, alone or by a group', async () => {
    const [one, exempt, member] = [await customer(), await customer({ tax_exempt: true }), await customer()];
    const free = await group({ tax_exempt: true });
    await client.data(`/customer-groups/${free.id}/members`, 'PUT', { add: [member.id] });
    expect((await buyerOf(shop.app.ctx, String(one.id)))?.isTaxExempt).toBe(false);
    expect((await buyerOf(shop.app.ctx, String(exempt.id)))?.isTaxExempt).toBe(true);
    expect((await buyerOf(shop.app.ctx, String(member.id)))?.isTaxExempt).toBe(true);
    await shop.app.ctx.tx(async (ctx) =>
      changeCustomer(ctx, await lockCustomer(ctx, String(exempt.id)), { status: 'disabled' }),
    );
    expect(await buyerOf(shop.app.ctx, String(exempt.id))).toBeNull();
  });
});

it('a promotion can be for groups, named by their names', async () => {
  const { id } = await customer();
  const one = await group();
  const promotion = {
    name: `For groups ${++made}`,
    type: 'automatic',
    effect: 'percent',
    value: 1000,
    status: 'active',
    customer_rule: { kind: 'groups', values: [one.name] },
  };
  const stored = await client.data('/promotions', 'POST', promotion);
  expect(stored.customer_rule).toEqual({ kind: 'groups', values: [one.id] });
  expect(
    (
      await client.refusal('/promotions', 'POST', {
        ...promotion,
        customer_rule: { kind: 'groups', values: ['no'] },
      })
    )[0],
  ).toBe(400);
  expect(
    (await client.refusal('/promotions', 'POST', { ...promotion, customer_rule: { kind: 'groups' } }))[0],
  ).toBe(400);
  const variant = await shop.stocked(5);
  const total = async () => {
    const simulated = await client.data('/promotions/simulate', 'POST', {
      customer_id: id,
      lines: [{ variant_id: variant, quantity: 1 }],
    });
    return (simulated as unknown as { totals: { total_cents: number } }).totals.total_cents;
  };
  const before = await total();
  await client.data(`/customer-groups/${one.id}/members`, 'PUT', { add: [id] });
  expect(await total()).toBe(before - 190);
});
