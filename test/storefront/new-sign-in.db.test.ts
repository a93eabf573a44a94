// A sign-in from a browser that a customer never used before is told by email (storefront-domain 14, decision 0091).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eraseCustomer, exportCustomer } from '#storefront/people/privacy/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openJson, PASSWORD, registered } from './customer-client.ts';
import { mailed } from './mailed-links.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0';
const knex = () => app.instance.database.db.knex;
const mailsTo = (email: string) => mailed(app, email, 'new_sign_in');
type Json = Awaited<ReturnType<typeof openJson>>;
const signIn = (browser: Json, email: string, password = PASSWORD) =>
  browser.data('/api/shop/auth/login', 'POST', { email, password });
const signOut = (browser: Json) => browser.data('/api/shop/auth/logout', 'POST', {});
const devices = (customerId: string) => knex()('customer_devices').where({ customer_id: customerId });

it('tells of another browser once, and neither of the first sign-in nor of one that is known', async () => {
  const { id, email } = await registered(app);
  const own = await openJson(app);
  await signIn(own, email);
  expect(await mailsTo(email)).toHaveLength(0);
  const name = own.browser.cookies.get('device') ?? '';
  const [device] = await devices(id);
  expect(name).toMatch(/^[\w-]{43}$/);
  expect(JSON.stringify(device)).not.toContain(name);
  await signOut(own);
  await own.renew();
  await signIn(own, email);
  expect(own.browser.cookies.get('device')).toBe(name);
  expect(await mailsTo(email)).toHaveLength(0);

  const other = await openJson(app);
  await signIn(other, email);
  expect(await mailsTo(email)).toHaveLength(1);
  await signOut(other);
  await other.renew();
  await signIn(other, email);
  expect(await mailsTo(email)).toHaveLength(1);
  expect(await devices(id)).toHaveLength(2);
});

it('says which device, from where and when, in the language of the customer', async () => {
  const { id, email } = await registered(app);
  await signIn(await openJson(app), email);
  await app.instance.database.transaction(async ({ knex }) => {
    await knex('customers').where({ id }).update({ locale: 'de' });
  });
  const other = await openJson(app);
  const sent = { email, password: PASSWORD };
  const page = await other.browser.submit('/shop/login', sent, { 'User-Agent': FIREFOX });
  expect(page.status).toBe(303);
  const [mail] = await mailsTo(email);
  expect(mail?.locale).toBe('de');
  expect(mail?.values).toEqual({
    device: 'Firefox, Windows',
    ip: '127.0.0.1',
    time: `${app.ctx.now().slice(0, 16).replace('T', ' ')} UTC`,
    forgot_url: `${app.ctx.baseUrl}/shop/forgot-password`,
  });
});

it('does not trust a name that somebody else put into the browser, and keeps a shared one known to all', async () => {
  const mallory = await registered(app);
  const victim = await registered(app);
  const his = await openJson(app);
  await signIn(his, mallory.email);
  const planted = his.browser.cookies.get('device') as string;
  const hers = await openJson(app);
  hers.browser.cookies.set('device', planted);
  await signIn(hers, victim.email);
  expect(hers.browser.cookies.get('device')).not.toBe(planted);
  // What he knows is worth nothing.
  await signOut(his);
  await his.renew();
  await signIn(his, victim.email);
  expect(await mailsTo(victim.email)).toHaveLength(1);
  // Whoever else signed in in her browser is still known there.
  await signOut(hers);
  await hers.renew();
  const before = (await mailsTo(mallory.email)).length;
  await signIn(hers, mallory.email);
  expect(await mailsTo(mallory.email)).toHaveLength(before);
});

it.each(['', 'x', 'a'.repeat(44), `${'a'.repeat(42)}"`, "' OR 1=1 --"])(
  'takes the cookie %j for none',
  async (name) => {
    const { email } = await registered(app);
    const browser = await openJson(app);
    browser.browser.cookies.set('device', name);
    await signIn(browser, email);
    expect(browser.browser.cookies.get('device')).toMatch(/^[\w-]{43}$/);
  },
);

it('keeps the last fifty of a customer, shows them in an export without their names, and removes them with the customer', async () => {
  const { id, email } = await registered(app);
  for (let n = 0; n < 52; n += 1) {
    app.clock.advance(1);
    await signIn(await openJson(app), email);
  }
  expect(await devices(id)).toHaveLength(50);
  const copy = await exportCustomer(app.ctx, id);
  expect(copy.data.customer_devices).toHaveLength(50);
  expect(JSON.stringify(copy.data.customer_devices)).not.toMatch(/[0-9a-f]{64}/);
  await eraseCustomer(app.ctx, id);
  expect(await devices(id)).toEqual([]);
});
