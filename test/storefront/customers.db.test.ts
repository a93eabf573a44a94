// Customers for staff: how they are added, changed, found, tagged, disabled and noted, and what is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customerClient, PASSWORD } from './customer-client.ts';
import { mailed } from './mailed-links.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { storeClient } from './store-client.ts';

let shop: OrderShop;
let client: OrderShop['staff'];
beforeAll(async () => {
  shop = await openOrderShop();
  client = shop.staff;
});
afterAll(() => shop.app.close());

let made = 0;
const address = (name = 'ann') => `${name}-${++made}@x.test`;
const make = (fields: object = {}) => client.data('/customers', 'POST', { email: address(), ...fields });
const one = (id: string) => client.data(`/customers/${id}`);
const emailsOf = async (query: string): Promise<unknown[]> =>
  ((await client.send(`/customers?per_page=100&${query}`)).body.data as unknown as { email: string }[]).map(
    ({ email }) => email,
  );
const faultOf = async (path: string, method: string, body: unknown) => {
  const { status, body: answer } = await client.send(path, method, body);
  const details = answer.details as unknown as { fields?: { field: string }[] } | undefined;
  return [status, answer.error_code, details?.fields?.[0]?.field];
};
const wrong = (field: string) => [400, 'VALIDATION_ERROR', field];
const transition = [400, 'VALIDATION_ERROR', 'INVALID_TRANSITION'];

it('a customer is added with an account, and receivers of webhooks are told', async () => {
  const email = address();
  const { result, changes } = await shop.app.changesBy(() =>
    make({ email, first_name: 'Ann', last_name: 'Miller', tags: ['VIP', 'vip', 'b2b'], tax_id: 'DE1' }),
  );
  expect(result).toMatchObject({
    id: expect.stringMatching(/^cst_/),
    email,
    has_account: true,
    email_verified: false,
    two_factor_enabled: false,
    status: 'active',
    tags: ['VIP', 'b2b'],
    groups: [],
    order_count: 0,
    spent_cents: 0,
    notes_count: 0,
    stats: { order_count: 0, total_cents: 0, average_cents: 0, first_order_at: null, last_order_at: null },
  });
  expect(changes.events).toContain('customer.created');
  expect(await one(result.id)).toEqual(result);
});

it('another address that staff gives an account is told to the old one, and nobody stays signed in', async () => {
  const customer = await customerClient(shop.app);
  const email = address('moved');
  // The same in other letters is no move.
  await client.data(`/customers/${customer.id}`, 'PATCH', { email: customer.email.toUpperCase() });
  expect(await mailed(shop.app, customer.email, 'email_change_notice')).toEqual([]);
  await customer.data('/api/shop/account');
  await client.data(`/customers/${customer.id}`, 'PATCH', { email });
  const [notice, ...others] = await mailed(shop.app, customer.email.toUpperCase(), 'email_change_notice');
  expect([notice?.values, others]).toEqual([{ new_email: email }, []]);
  expect(await customer.refusal('/api/shop/account')).toEqual([401, 'AUTH_UNAUTHORIZED', undefined]);
  expect(await one(customer.id)).toMatchObject({ email, email_verified: false });
  await customer.renew();
  expect(
    (
      await customer.refusal('/api/shop/auth/login', 'POST', { email: customer.email, password: PASSWORD })
    )[0],
  ).toBe(401);
});

it('an address has one account, whatever its spelling', async () => {
  const { email } = await make();
  expect(await client.refusal('/customers', 'POST', { email: String(email).toUpperCase() })).toEqual([
    400,
    'VALIDATION_ERROR',
    'DUPLICATE',
  ]);
});

describe('a change', () => {
  it('changes what is sent and leaves the rest', async () => {
    const { id } = await make({ first_name: 'Ann', phone: '1' });
    const after = await client.data(`/customers/${id}`, 'PATCH', { phone: null, tax_exempt: true });
    expect(after).toMatchObject({ first_name: 'Ann', phone: null, tax_exempt: true });
    const { changes } = await shop.app.changesBy(() =>
      client.data(`/customers/${id}`, 'PATCH', { tax_exempt: true }),
    );
    expect(changes.events).toEqual([]);
  });

  it.each([
    ['email', { email: 'nobody' }],
    ['first_name', { first_name: 'A\nB' }],
    ['last_name', { last_name: 'x'.repeat(101) }],
    ['tags', { tags: Array.from({ length: 51 }, (_, at) => `t${at}`) }],
    ['tags.0', { tags: [''] }],
    ['group_ids.0', { group_ids: ['cgr_unknown'] }],
    ['locale', { locale: 'german' }],
    ['tax_exempt', { tax_exempt: 'yes' }],
  ])('refuses a wrong %s', async (field, fields) => {
    const { id } = await make();
    expect(await faultOf(`/customers/${id}`, 'PATCH', fields)).toEqual(wrong(field));
  });

  it('another address has to be confirmed again, and that of a guest stays', async () => {
    const { id } = await make();
    await shop.app.ctx.tx(async (ctx) => {
      await ctx.db.knex('customers').where({ id }).update({ email_verified_at: ctx.now() });
    });
    expect((await one(id)).email_verified).toBe(true);
    const moved = await client.data(`/customers/${id}`, 'PATCH', { email: address('moved') });
    expect(moved.email_verified).toBe(false);
    const variant = await shop.stocked(5);
    await shop.placed(variant, 1, 'fake', { email: address('guest') });
    const [guest] = (await client.send('/customers?has_account=false&sort=-created')).body
      .data as unknown as { id: string }[];
    expect(await faultOf(`/customers/${guest?.id}`, 'PATCH', { email: address() })).toEqual(wrong('email'));
  });

  it('of somebody who does not exist is not found', async () => {
    for (const [method, path, body] of [
      ['GET', '/customers/cst_no', undefined],
      ['PATCH', '/customers/cst_no', { phone: '1' }],
      ['POST', '/customers/cst_no/disable', {}],
      ['POST', '/customers/cst_no/notes', { body: 'x' }],
      ['GET', '/customers/cst_no/orders', undefined],
    ] as const)
      expect((await client.refusal(path, method, body)).slice(0, 2)).toEqual([404, 'NOT_FOUND']);
  });
});

describe('the list', () => {
  it('finds by name, address, phone and order number, and tells guests from accounts', async () => {
    const variant = await shop.stocked(5);
    const email = address('findme');
    const order = await shop.placed(variant, 1, 'fake', { email, phone: '0049 30 1234' });
    await make({ email: address('zoe'), first_name: 'Zoe', last_name: 'Quartz' });
    expect(await emailsOf(`q=${order.order_number}`)).toEqual([email]);
    expect(await emailsOf('q=zoe%20quartz')).toEqual([expect.stringMatching(/^zoe/)]);
    expect(await emailsOf('q=findme')).toEqual([email]);
    expect(await emailsOf(`has_account=false&q=findme`)).toEqual([email]);
    expect(await emailsOf(`has_account=true&q=findme`)).toEqual([]);
    const [guest] = (await client.send('/customers?q=findme')).body.data as unknown as { id: string }[];
    expect(await one(String(guest?.id))).toMatchObject({
      has_account: false,
      order_count: 1,
      stats: { order_count: 1, total_cents: 2400, average_cents: 2400 },
    });
    const orders = (await client.send(`/customers/${guest?.id}/orders`)).body;
    expect(orders.data).toMatchObject([{ order_number: order.order_number }]);
    expect(await emailsOf('country=US')).toContain(email);
    expect(await emailsOf('country=FR')).not.toContain(email);
    expect(await emailsOf('orders_min=1&spent_min=2400')).toContain(email);
    expect(await emailsOf('orders_min=2')).not.toContain(email);
  });

  it('narrows by tag', async () => {
    const tagged = await make({ tags: ['rare'] });
    expect(await emailsOf('tag=rare')).toEqual([tagged.email]);
  });
});

it('a disabled customer is enabled again; the log has the reason; a guest cannot be disabled', async () => {
  const { id } = await make();
  const { changes } = await shop.app.changesBy(() =>
    client.data(`/customers/${id}/disable`, 'POST', { reason: 'Chargebacks' }),
  );
  expect(changes.events).toEqual(['customer.updated']);
  expect((await one(id)).status).toBe('disabled');
  expect((await client.data(`/customers/${id}/enable`, 'POST', {})).status).toBe('active');
  const variant = await shop.stocked(5);
  await shop.placed(variant, 1, 'fake', { email: address('g') });
  const [guest] = (await client.send('/customers?has_account=false&sort=-created')).body.data as unknown as {
    id: string;
  }[];
  expect(await client.refusal(`/customers/${guest?.id}/disable`, 'POST', {})).toEqual(transition);
});

it('the second factor goes by staff who may write users, with a reason', async () => {
  const { id } = await make();
  expect(await faultOf(`/customers/${id}/reset-2fa`, 'POST', {})).toEqual([
    400,
    'VALIDATION_MISSING_FIELD',
    'reason',
  ]);
  expect(await client.refusal(`/customers/${id}/reset-2fa`, 'POST', { reason: 'Lost' })).toEqual(transition);
  const support = await storeClient(shop.app, 'support');
  expect((await support.refusal(`/customers/${id}/reset-2fa`, 'POST', { reason: 'Lost' }))[1]).toBe(
    'AUTH_FORBIDDEN',
  );
});

it('notes are for staff: newest first, and gone when removed', async () => {
  const { id } = await make();
  const note = await client.data(`/customers/${id}/notes`, 'POST', { body: 'Called about the mug' });
  await client.data(`/customers/${id}/notes`, 'POST', { body: 'Called again' });
  const list = (await client.send(`/customers/${id}/notes`)).body.data as unknown as { body: string }[];
  expect(list.map(({ body }) => body)).toEqual(['Called again', 'Called about the mug']);
  expect((await one(id)).notes_count).toBe(2);
  expect((await client.send(`/customers/${id}/notes/${note.id}`, 'DELETE')).status).toBe(200);
  expect((await one(id)).notes_count).toBe(1);
  const other = await make();
  const [left] = (await client.send(`/customers/${id}/notes`)).body.data as unknown as { id: string }[];
  expect((await client.send(`/customers/${other.id}/notes/${left?.id}`, 'DELETE')).status).toBe(404);
  expect(await faultOf(`/customers/${id}/notes`, 'POST', { body: ' ' })).toEqual(wrong('body'));
});

it('tags of many change at once, and a refused one costs only itself', async () => {
  const [a, b] = [await make({ tags: ['old'] }), await make()];
  const { body } = await client.send('/customers/bulk', 'POST', {
    action: 'tags',
    ids: [a.id, b.id, 'cst_no'],
    params: { add: ['new'], remove: ['OLD'] },
  });
  expect(body).toMatchObject({ success: true });
  expect((await one(a.id)).tags).toEqual(['new']);
  expect((await one(b.id)).tags).toEqual(['new']);
});

it('an export escapes what a spreadsheet would run', async () => {
  await make({ email: address('formula'), first_name: '=1+1', tags: ['formula'] });
  const { text } = await client.send('/customers/export.csv?tag=formula');
  expect(text).toContain("'=1+1");
});

it('who may read may not write', async () => {
  const { id } = await make();
  const reader = await storeClient(shop.app, 'marketing');
  expect((await reader.send(`/customers/${id}`)).status).toBe(200);
  for (const [path, method, body] of [
    ['/customers', 'POST', { email: address() }],
    [`/customers/${id}`, 'PATCH', { phone: '1' }],
    [`/customers/${id}/disable`, 'POST', {}],
    [`/customers/${id}/notes`, 'POST', { body: 'x' }],
    [`/customers/${id}/merge`, 'POST', { source_id: 'cst_x' }],
    ['/customer-groups', 'POST', { name: 'x' }],
  ] as const)
    expect((await reader.refusal(path, method, body)).slice(0, 2)).toEqual([403, 'AUTH_FORBIDDEN']);
});
