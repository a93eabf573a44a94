// Customers as a person works with them in the panel: their page, groups by a rule in words, merging and importing.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import type { Browser } from '../support/browser.ts';
import { openJson, PASSWORD, registered } from './customer-client.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';

let shop: OrderShop;
let browser: Browser;
beforeAll(async () => {
  shop = await openOrderShop();
  ({ browser } = await member(shop.app));
});
afterAll(() => shop.app.close());

let made = 0;
const customer = (fields: object = {}) =>
  shop.staff.data('/customers', 'POST', { email: `form-${++made}@x.test`, ...fields });

it('the list tells guests from accounts, and a page shows figures, orders and notes', async () => {
  const variant = await shop.stocked(5);
  await shop.placed(variant, 2, 'fake', { email: 'shown@x.test' });
  const list = textOf((await browser.open('/store/customers?q=shown')).text);
  for (const words of ['shown@x.test', 'guest', '$43.00']) expect(list).toContain(words);
  const [{ id }] = (await shop.staff.send('/customers?q=shown@x.test')).body.data as unknown as [
    { id: string },
  ];
  const page = textOf((await browser.open(`/store/customers/${id}`)).text);
  for (const words of ['shown@x.test', 'Average order', '$43.00', 'Notes', 'Emails', 'Merge'])
    expect(page).toContain(words);
  const orders = textOf((await browser.open(`/store/customers/${id}?tab=orders`)).text);
  expect(orders).toContain('$43.00');
  expect((await browser.submit(`/store/customers/${id}/notes/new`, { body: 'Call first' })).status).toBe(303);
  expect(textOf((await browser.open(`/store/customers/${id}?tab=notes`)).text)).toContain('Call first');
});

it('the page lists addresses, sessions, consents and returns, and changes the address book', async () => {
  const { id, email } = await registered(shop.app);
  const ann = await openJson(shop.app);
  await ann.data('/api/shop/auth/login', 'POST', { email, password: PASSWORD });
  const path = `/store/customers/${id}`;
  const tab = async (name: string) => textOf((await browser.open(`${path}?tab=${name}`)).text);
  expect(await tab('returns')).toContain('Returns of this customer appear here');
  expect(await tab('addresses')).toContain('The customer can choose these addresses');
  const street = { lastName: 'Miller', line1: '1 Main Street', city: 'Springfield', country: 'US' };
  const wrong = await browser.submit(`${path}/addresses/new`, { ...street, state: 'XX', postalCode: '1' });
  expect([wrong.status, textOf(wrong.text)]).toEqual([400, expect.stringContaining('is not a state of US')]);
  const right = { ...street, state: 'IL', postalCode: '62701' };
  expect((await browser.submit(`${path}/addresses/new`, right)).status).toBe(303);
  expect(await tab('addresses')).toContain('1 Main Street');
  expect(await tab('sessions')).toContain('127.0.0.1');
  const [session] = (await shop.staff.send(`/customers/${id}/sessions`)).body.data as unknown as [
    { id: string },
  ];
  const one = await browser.open(`${path}/sessions/${session.id}`);
  expect(textOf(one.text)).toContain('Delete');
  await browser.submit(`${path}/edit`, { acceptsMarketing: 'true' });
  const consents = await tab('consents');
  for (const words of ['agreed', 'staff']) expect(consents).toContain(words);
  const [address] = (await shop.staff.send(`/customers/${id}/addresses`)).body.data as unknown as [
    { id: string },
  ];
  const edited = await browser.submit(`${path}/addresses/${address.id}/edit`, {
    ...right,
    line1: '2 Oak Road',
  });
  expect(edited.status).toBe(303);
  expect(await tab('addresses')).toContain('2 Oak Road');
});

it('the search over everything finds a customer by name and address', async () => {
  await customer({ email: 'quill@x.test', first_name: 'Quentin', last_name: 'Quill' });
  const found = textOf((await browser.open('/admin/search?q=quill')).text);
  expect(found).toContain('quill@x.test');
});

it('a rule is written in words, one condition per line', async () => {
  const words =
    'any of\norders at least 3\nspent at least 100.00\ncountry is DE, AT\ntag is wholesale\nhas account';
  const sent = await browser.submit('/store/customer-groups/new', { name: 'Worded', rule: words });
  expect(sent.status).toBe(303);
  const groups = (await shop.staff.send('/customer-groups')).body.data as unknown as {
    id: string;
    name: string;
    rule: unknown;
  }[];
  const group = groups.find(({ name }) => name === 'Worded');
  expect(group?.rule).toEqual({
    match: 'any',
    conditions: [
      { field: 'order_count', op: 'at_least', value: '3' },
      { field: 'spent_cents', op: 'at_least', value: '10000' },
      { field: 'country', op: 'is', value: 'DE,AT' },
      { field: 'tag', op: 'is', value: 'wholesale' },
      { field: 'has_account', op: 'is', value: 'true' },
    ],
  });
  const form = (await browser.open(`/store/customer-groups/${group?.id}/edit`)).text;
  expect(form).toContain('spent at least 100.00');
  const wrong = await browser.submit('/store/customer-groups/new', {
    name: 'Wrong',
    rule: 'shoe size is 44',
  });
  expect([wrong.status, textOf(wrong.text)]).toEqual([400, expect.stringContaining('is not understood')]);
});

it('a merge shows both before and after, and wants the address typed', async () => {
  const target = await customer({ first_name: 'Ann' });
  const source = await customer({ last_name: 'Miller', tags: ['kept'] });
  const page = `/store/customers/${target.id}/merge`;
  expect((await browser.submit(page, { source: 'nobody@x.test', do: 'check' })).status).toBe(400);
  const shown = await browser.submit(page, { source: String(source.email), do: 'check' });
  for (const words of ['After the merge', 'Ann Miller', 'kept', String(source.email)])
    expect(textOf(shown.text)).toContain(words);
  const untyped = await browser.submit(page, { source: source.id, confirm: 'x', do: 'apply' });
  expect([untyped.status, textOf(untyped.text)]).toEqual([422, expect.stringContaining('to merge')]);
  const done = await browser.submit(page, { source: source.id, confirm: String(source.email), do: 'apply' });
  expect(done.status).toBe(303);
  expect(await shop.staff.data(`/customers/${source.id}`)).toMatchObject({ merged_into_id: target.id });
  const gone = textOf((await browser.open(`/store/customers/${source.id}`)).text);
  expect(gone).toContain('Merged into');
});

it('a file is imported as a task that names what was refused', async () => {
  const form = (await browser.open('/store/customers/import')).text;
  const send = async (csv: string, how: 'check' | 'apply') => {
    const body = new FormData();
    body.set('_csrf', /name="_csrf" value="([^"]*)"/.exec(form)?.[1] ?? '');
    body.set('do', how);
    body.set('file', new Blob([csv], { type: 'text/csv' }), 'customers.csv');
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return fetch(`${shop.app.url}/store/customers/import`, {
      method: 'POST',
      body,
      headers: { Cookie: cookie },
      redirect: 'manual',
    });
  };
  const csv = "email,first_name,accepts_marketing\nfile@x.test,'=Eve,yes\nnobody,X,maybe\n";
  const tried = await send(csv, 'check');
  expect(tried.status).toBe(303);
  expect((await shop.staff.send('/customers?q=file@x.test')).body.data).toEqual([]);
  const done = await send(csv, 'apply');
  const report = textOf((await browser.open(String(done.headers.get('location')))).text);
  expect(report).toContain('nobody');
  expect((await shop.staff.send('/customers?q=file@x.test')).body.data).toMatchObject([
    { first_name: '=Eve', accepts_marketing: true },
  ]);
  const wrong = await send('email,shoe_size\na@x.test,44\n', 'apply');
  expect([wrong.status, textOf(await wrong.text())]).toEqual([
    400,
    expect.stringContaining('unknown column shoe_size'),
  ]);
});
