// How staff help customers: links by email, the address book, sessions, and proofs of what was agreed to.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { openJson, PASSWORD, registered } from './customer-client.ts';
import { linkMailed, mailed } from './mailed-links.ts';
import { storeClient } from './store-client.ts';

let app: TestApp;
let staff: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  staff = await storeClient(app);
});
afterAll(() => app.close());

type Row = Record<string, unknown> & { id: string };
const listed = async (path: string) => (await staff.send(path)).body.data as unknown as Row[];
const refusal = async (path: string, method = 'POST', body: unknown = {}) => {
  const { status, body: said } = await staff.send(path, method, body);
  return [status, said.error_code, (said.details as { reason?: string } | undefined)?.reason];
};
const transition = [400, 'VALIDATION_ERROR', 'INVALID_TRANSITION'];
const STREET = {
  last_name: 'Miller',
  line1: '1 Main Street',
  city: 'Springfield',
  state: 'IL',
  postal_code: '62701',
  country: 'US',
};

it('invites a customer whom staff add: the link sets a password and proves the address', async () => {
  const email = 'invited@x.test';
  const { id } = await staff.data('/customers', 'POST', { email, locale: 'de', send_invite: true });
  const [mail] = await mailed(app, email, 'account_invite');
  expect(mail?.locale).toBe('de');
  app.clock.advance(6 * 86_400);
  const token = await linkMailed(app, email, 'account_invite', 'invite_url');
  const browser = openBrowser(app.send);
  expect((await browser.submit(`/shop/reset-password/${token}`, { password: PASSWORD })).status).toBe(200);
  const own = await openJson(app);
  await own.data('/api/shop/auth/login', 'POST', { email, password: PASSWORD });
  expect(await staff.data(`/customers/${id}`)).toMatchObject({ email_verified: true });
  expect(await refusal(`/customers/${id}/send-invite`)).toEqual(transition);
  expect(await staff.data(`/customers/${id}/send-reset`, 'POST', {})).toEqual({ sent: true });
  const [reset] = await mailed(app, email, 'password_reset');
  // Where staff sit is nothing to the customer.
  expect(reset?.values.ip).toBe('');
  expect(await refusal(`/customers/${id}/send-reset`)).toEqual(transition);
  await staff.data(`/customers/${id}/disable`, 'POST', {});
  app.clock.advance(61);
  expect(await refusal(`/customers/${id}/send-reset`)).toEqual(transition);
  expect((await refusal('/customers/cst_unknown/send-reset'))[0]).toBe(404);
});

it('a guest has nothing to sign in to: no link is sent', async () => {
  const { id } = await registered(app);
  await app.instance.database.transaction(async ({ knex }) => {
    await knex('customers').where({ id }).update({ is_guest: true });
  });
  expect((await refusal(`/customers/${id}/send-reset`))[0]).toBe(404);
  expect((await refusal(`/customers/${id}/send-invite`))[0]).toBe(404);
});

it('keeps the address book of a customer, and never that of another one', async () => {
  const ann = await registered(app);
  const bob = await registered(app);
  const book = `/customers/${ann.id}/addresses`;
  expect((await refusal(book, 'POST', { ...STREET, state: 'XX' }))[0]).toBe(400);
  const first = await staff.data(book, 'POST', { ...STREET, label: 'Home' });
  expect(first).toMatchObject({ label: 'Home', is_default_shipping: true, is_default_billing: true });
  const second = await staff.data(book, 'POST', { ...STREET, is_default_billing: true });
  const changed = await staff.data(`${book}/${first.id}`, 'PATCH', { line1: '2 Oak Road', label: null });
  expect(changed).toMatchObject({ line1: '2 Oak Road', label: null, city: 'Springfield' });
  const others = `/customers/${bob.id}/addresses`;
  expect((await refusal(`${others}/${first.id}`, 'PATCH', { city: 'X' }))[0]).toBe(404);
  expect((await refusal(`${others}/${first.id}`, 'DELETE'))[0]).toBe(404);
  expect(await listed(others)).toEqual([]);
  expect(
    (await listed(book)).map((one) => [one.id, one.is_default_shipping, one.is_default_billing]),
  ).toEqual([
    [first.id, true, false],
    [second.id, false, true],
  ]);
  await staff.data(`${book}/${first.id}`, 'DELETE');
  expect(await listed(book)).toHaveLength(1);
  const log = await app.instance.database.db.knex('audit_log').where({ target_id: ann.id });
  expect(JSON.stringify(log)).toContain('address_changed');
  expect(JSON.stringify(log)).not.toContain('Main Street');
});

it('lists where a customer is signed in, and signs them out there at once', async () => {
  const ann = await registered(app);
  const bob = await registered(app);
  const browsers = await Promise.all([openJson(app), openJson(app)]);
  for (const one of browsers) {
    const sent = { email: ann.email, password: PASSWORD };
    await one.data('/api/shop/auth/login', 'POST', sent);
  }
  const path = `/customers/${ann.id}/sessions`;
  const open = await listed(path);
  expect(open).toHaveLength(2);
  expect(JSON.stringify(open)).not.toMatch(/[0-9a-f]{64}/);
  expect((await refusal(`/customers/${bob.id}/sessions/${open[0]?.id}`, 'DELETE'))[0]).toBe(404);
  await staff.data(`${path}/${open[0]?.id}`, 'DELETE');
  expect(await listed(path)).toHaveLength(1);
  const ends = await Promise.all(
    browsers.map(async (one) => (await one.browser.open('/shop/account')).status),
  );
  expect(ends.sort()).toEqual([200, 303]);
  app.clock.advance(3 * 3600);
  expect(await listed(path)).toEqual([]);
});

it('keeps a proof of each choice about offers: who made it, where, and what was read', async () => {
  const made = await staff.data('/customers', 'POST', {
    email: 'agrees@x.test',
    accepts_marketing: true,
  });
  await staff.data(`/customers/${made.id}`, 'PATCH', { accepts_marketing: false });
  await staff.data(`/customers/${made.id}`, 'PATCH', { accepts_marketing: false, first_name: 'Ann' });
  const rows = [{ email: 'agrees@x.test', accepts_marketing: 'yes' }];
  await staff.data('/customers/import', 'POST', { rows });
  const proofs = await listed(`/customers/${made.id}/consents`);
  expect(proofs.map(({ granted, source, actor_type }) => [granted, source, actor_type])).toEqual([
    [true, 'import', 'staff'],
    [false, 'staff', 'staff'],
    [true, 'staff', 'staff'],
  ]);
});

it('a registration agrees once its address is proven, with the words that were read', async () => {
  const email = 'opted@x.test';
  const browser = openBrowser(app.send);
  const said = { email, password: PASSWORD, accepts_marketing: '1' };
  await browser.submit('/shop/register?lang=de', said);
  const [row] = await listed(`/customers?q=${email}`);
  const path = `/customers/${row?.id}/consents`;
  expect([row?.accepts_marketing, await listed(path)]).toEqual([false, []]);
  await browser.submit(
    `/shop/verify-email/${await linkMailed(app, email, 'email_verification', 'verify_url')}`,
  );
  expect(await listed(path)).toMatchObject([
    {
      granted: true,
      source: 'register',
      text: 'Neuigkeiten und Angebote per E-Mail senden',
      locale: 'de',
      actor_type: 'customer',
    },
  ]);
  expect(await staff.data(`/customers/${row?.id}`)).toMatchObject({ accepts_marketing: true });
});

it('whoever registers an address first agrees to nothing for its owner', async () => {
  const email = 'not-agreed@x.test';
  const squatter = await openJson(app);
  const agreeing = { email, password: 'of the squatter', accepts_marketing: true };
  await squatter.data('/api/shop/auth/register', 'POST', agreeing);
  const owner = await openJson(app);
  await owner.data('/api/shop/auth/register', 'POST', { email, password: PASSWORD });
  const token = await linkMailed(app, email, 'email_verification', 'verify_url');
  await owner.data('/api/shop/auth/verify-email', 'POST', { token });
  const [row] = await listed(`/customers?q=${email}`);
  expect([row?.accepts_marketing, await listed(`/customers/${row?.id}/consents`)]).toEqual([false, []]);
});
