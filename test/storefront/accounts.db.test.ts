// Customers register, verify their address and sign in: by JSON and by the pages (storefront-api B, shop-pages 2.5).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { credentials } from '#storefront/people/customers/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { customerClient, openJson, PASSWORD, registered } from './customer-client.ts';
import { linkMailed } from './mailed-links.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const AUTH = '/api/shop/auth';
const mails = (email: string) =>
  app.instance.database.db.knex('email_log').where({ to_address: email }).orderBy('id').pluck('template');

it('registers a customer, who signs in once the address is verified', async () => {
  const email = 'Ann@x.test';
  const ann = await openJson(app);
  const said = { email, password: PASSWORD, first_name: 'Ann', last_name: 'Miller' };
  const { customer, verification_required } = await ann.data<{
    customer: object;
    verification_required: boolean;
  }>(`${AUTH}/register`, 'POST', said);
  expect(verification_required).toBe(true);
  expect(customer).toMatchObject({
    email,
    first_name: 'Ann',
    email_verified: false,
    two_factor_enabled: false,
  });
  expect(await mails(email)).toEqual(['email_verification']);
  const login = { email, password: PASSWORD };
  expect(await ann.refusal(`${AUTH}/login`, 'POST', login)).toEqual([
    403,
    'AUTH_FORBIDDEN',
    'EMAIL_NOT_VERIFIED',
  ]);
  const token = await linkMailed(app, email, 'email_verification', 'verify_url');
  expect(await ann.data(`${AUTH}/verify-email`, 'POST', { token })).toEqual({ verified: true, email });
  expect(await ann.refusal(`${AUTH}/verify-email`, 'POST', { token })).toEqual([
    400,
    'VALIDATION_ERROR',
    'TOKEN_INVALID',
  ]);
  const before = ann.browser.session();
  const signedIn = await ann.data<{ customer: object; cart_merge: object }>(`${AUTH}/login`, 'POST', {
    ...login,
    email: ' aNN@X.test ',
  });
  expect(signedIn).toMatchObject({
    customer: { email, email_verified: true },
    cart_merge: { moved: 0, capped: [] },
  });
  expect(ann.browser.session()).not.toBe(before);
  expect((await ann.browser.open('/api/shop/session')).body.data).toMatchObject({ customer: { email } });
});

it('answers a known address as an unknown one, and writes to its owner', async () => {
  const { email } = await registered(app);
  const stranger = await openJson(app);
  const asked = (address: string) =>
    stranger.data<{ customer: { id: string }; verification_required: boolean }>(`${AUTH}/register`, 'POST', {
      email: address,
      password: 'another fine one',
    });
  const known = await asked(email);
  const unknown = await asked('nobody-yet@x.test');
  const shape = ({ customer, ...others }: Awaited<ReturnType<typeof asked>>) => ({
    ...others,
    customer: { ...customer, id: customer.id.length, email: '', created_at: '' },
    csrf_token: '',
  });
  expect(shape(known)).toEqual(shape(unknown));
  expect(await mails(email)).toEqual(['email_verification', 'account_exists']);
  expect(await credentials.find(app.ctx, known.customer.id)).toBeUndefined();
});

it('signs nobody in with a wrong password, an unknown address or an anonymised account', async () => {
  const { email, id } = await registered(app);
  const client = await openJson(app);
  const attempt = (sent: object) => client.refusal(`${AUTH}/login`, 'POST', sent);
  const wrong = [401, 'AUTH_UNAUTHORIZED', undefined];
  expect(await attempt({ email, password: 'wrong wrong' })).toEqual(wrong);
  expect(await attempt({ email: 'nobody@x.test', password: PASSWORD })).toEqual(wrong);
  expect(await attempt({ email, password: `${PASSWORD}${'x'.repeat(129)}` })).toEqual(wrong);
  expect(await attempt({ email })).toEqual([400, 'VALIDATION_MISSING_FIELD', undefined]);
  await app.ctx.tx((ctx) => credentials.change(ctx, id, { status: 'disabled' }));
  expect(await attempt({ email, password: PASSWORD })).toEqual([403, 'AUTH_FORBIDDEN', 'ACCOUNT_DISABLED']);
  expect(await attempt({ email, password: 'wrong wrong' })).toEqual(wrong);
  await app.ctx.tx((ctx) => credentials.change(ctx, id, { status: 'anonymised' }));
  expect(await attempt({ email, password: PASSWORD })).toEqual(wrong);
});

it('ends the session with the sign-out: its cookie opens nothing, and the next one is new', async () => {
  const ann = await customerClient(app);
  const cookie = `cart_session=${ann.browser.session()}`;
  expect((await app.send('/shop/account', { headers: { Cookie: cookie } })).status).toBe(200);
  expect(await ann.data(`${AUTH}/logout`, 'POST', {})).toEqual({ logged_out: true });
  expect((await app.send('/shop/account', { headers: { Cookie: cookie } })).status).toBe(303);
  expect(ann.browser.session()).not.toBe(cookie.slice('cart_session='.length));
  await ann.renew();
  expect(await ann.refusal(`${AUTH}/logout`, 'POST', {})).toEqual([401, 'AUTH_UNAUTHORIZED', undefined]);
});

it('refuses who is disabled, and who has another generation, at the next request', async () => {
  const ann = await customerClient(app);
  const isIn = async () => (await ann.browser.open('/shop/account')).status === 200;
  expect(await isIn()).toBe(true);
  await app.ctx.tx((ctx) => credentials.raiseGeneration(ctx, ann.id));
  expect(await isIn()).toBe(false);
  const bob = await customerClient(app);
  await app.ctx.tx((ctx) => credentials.change(ctx, bob.id, { status: 'disabled' }));
  expect((await bob.browser.open('/shop/account')).status).toBe(303);
});

it('judges in the order of settled Z1: 401 without a customer, then the token', async () => {
  const ann = await customerClient(app);
  expect((await app.send(`${AUTH}/logout`, { method: 'POST', body: {} })).status).toBe(401);
  const { status, body } = await ann.browser.ask(`${AUTH}/logout`, { method: 'POST', body: {} });
  expect([status, body.error_code]).toEqual([403, 'AUTH_FORBIDDEN']);
  const { status: guest } = await app.send(`${AUTH}/login`, { method: 'POST', body: {} });
  expect(guest).toBe(403);
});

it('leads from a page of the account to the sign-in and back, and signs out by a form', async () => {
  const { email, password } = await registered(app);
  const browser = openBrowser(app.send);
  const { status, headers } = await browser.open('/shop/account');
  expect([status, headers.location]).toEqual([303, '/shop/login?next=%2Fshop%2Faccount']);
  const wrong = await browser.submit('/shop/login?next=%2Fshop%2Faccount', {
    email,
    password: 'wrong wrong',
  });
  expect(wrong.status).toBe(401);
  expect(wrong.text).toContain('The email address or the password is wrong');
  const done = await browser.submit('/shop/login?next=%2Fshop%2Faccount', { email, password });
  expect([done.status, done.headers.location]).toEqual([303, '/shop/account']);
  const page = await browser.open('/shop/account');
  expect(page.text).toContain(email);
  expect(page.headers['cache-control']).toBe('no-store');
  expect((await browser.open('/shop/')).text).toContain('>Your account<');
  expect((await browser.submit('/shop/logout')).headers.location).toBe('/shop/');
  expect((await browser.open('/shop/')).text).toContain('>Sign in<');
});

it.each(['https://evil.test/', '//evil.test', '/shop/../admin/', '/admin/', '/shop\\evil'])(
  'leads nowhere else after the sign-in: %s',
  async (next) => {
    const { email, password } = await registered(app);
    const browser = openBrowser(app.send);
    const { headers } = await browser.submit(`/shop/login?next=${encodeURIComponent(next)}`, {
      email,
      password,
    });
    expect(headers.location).toMatch(/^\/shop\/account$|^\/admin\/$/);
    expect(headers.location).toBe('/shop/account');
  },
);

it('registers and verifies by the pages; looking at the link uses nothing up', async () => {
  const browser = openBrowser(app.send);
  const email = 'pages@x.test';
  const weak = await browser.submit('/shop/register?lang=de', { email, password: 'kurz' });
  expect(weak.status).toBe(400);
  expect(weak.text).toContain('zu kurz');
  const sent = await browser.submit('/shop/register', { email, password: PASSWORD });
  expect(sent.text).toContain(email);
  const path = `/shop/verify-email/${await linkMailed(app, email, 'email_verification', 'verify_url')}`;
  for (const _twice of [1, 2]) expect((await browser.open(path)).text).toContain(email);
  const done = await browser.submit(path);
  expect(done.text).toContain('jetzt anmelden');
  expect(done.headers['referrer-policy']).toBe('no-referrer');
  expect((await browser.open(path)).status).toBe(404);
});

it('brings the cart of the browser along', async () => {
  // Of carts that come together see cart.db.test.ts.
  const { email, password } = await registered(app);
  const client = await openJson(app);
  const { cart_merge } = await client.data<{ cart_merge: object }>(`${AUTH}/login`, 'POST', {
    email,
    password,
  });
  expect(cart_merge).toEqual({ moved: 0, capped: [] });
});
