// What customers keep and change of themselves: profile, addresses, emails, their data (storefront-api.md, C).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noteConsent } from '#storefront/people/consents/index.ts';
import * as newsletter from '#storefront/people/newsletter/index.ts';
import { setMarketing, unsubscribePath, unsubscribeToken } from '#storefront/people/privacy/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser, tokenIn } from '../support/browser.ts';
import { type CustomerClient, customerClient, openJson } from './customer-client.ts';
import { findTexts } from './every-text.ts';
import { ANN, detailsOf } from './shopper.ts';

let app: TestApp;
let ann: CustomerClient;
let eve: CustomerClient;
beforeAll(async () => {
  app = await startApp();
  [ann, eve] = [await customerClient(app), await customerClient(app)];
}, 120_000);
afterAll(() => app.close());

const ADDRESSES = '/api/shop/addresses';
type Shown = { id: string; line1: string; is_default_shipping: boolean; is_default_billing: boolean };
const knex = () => app.instance.database.db.knex;

it('guests and strangers are told to sign in, by every operation', async () => {
  const guest = await openJson(app);
  for (const [method, path] of [
    ['GET', '/api/shop/account'],
    ['PATCH', '/api/shop/account'],
    ['PATCH', '/api/shop/account/preferences'],
    ['GET', '/api/shop/account/export'],
    ['DELETE', '/api/shop/account'],
    ['GET', ADDRESSES],
    ['POST', ADDRESSES],
    ['POST', '/api/shop/uploads'],
    ['GET', '/api/shop/orders'],
    ['GET', '/api/shop/orders/1001'],
    ['GET', '/api/shop/gift-cards'],
    ['POST', '/api/shop/gift-cards/claim'],
  ] as const)
    expect([
      path,
      (await guest.refusal(path, method, method === 'GET' ? undefined : {})).slice(0, 2),
    ]).toEqual([path, [401, 'AUTH_UNAUTHORIZED']]);
});

it('a profile is shown and changed; blanks clear, what is absent stays', async () => {
  const changed = await ann.data('/api/shop/account', 'PATCH', { phone: '+1 555', birthday: '1990-02-28' });
  expect(changed).toMatchObject({
    email: ann.email,
    first_name: 'Ann',
    phone: '+1 555',
    birthday: '1990-02-28',
  });
  expect(await ann.data('/api/shop/account', 'PATCH', { phone: '' })).toMatchObject({
    phone: null,
    last_name: 'Miller',
  });
  for (const wrong of [
    { birthday: '1990-02-30' },
    { birthday: '2999-01-01' },
    { first_name: 'a\nb' },
    { phone: 7 },
  ])
    expect((await ann.refusal('/api/shop/account', 'PATCH', wrong)).slice(0, 2)).toEqual([
      400,
      'VALIDATION_ERROR',
    ]);
});

it('addresses: the first is the default of both kinds, another takes over, those of others are unknown', async () => {
  const first = await ann.data<Shown>(ADDRESSES, 'POST', ANN);
  expect(first).toMatchObject({ is_default_shipping: true, is_default_billing: true });
  const second = await ann.data<Shown>(ADDRESSES, 'POST', { ...ANN, line1: '2 Side Street', label: 'Work' });
  expect(second.is_default_shipping).toBe(false);
  await ann.data(`${ADDRESSES}/${second.id}/default`, 'POST', { kind: 'shipping' });
  expect(await ann.data(ADDRESSES)).toMatchObject([
    { id: second.id, is_default_shipping: true, is_default_billing: false },
    { id: first.id, is_default_shipping: false, is_default_billing: true },
  ]);
  expect(await ann.data(`${ADDRESSES}/${first.id}`, 'PATCH', { line1: '9 New Street' })).toMatchObject({
    line1: '9 New Street',
    city: 'Springfield',
  });
  for (const [method, path, body] of [
    ['GET', `${ADDRESSES}/${first.id}`, undefined],
    ['PATCH', `${ADDRESSES}/${first.id}`, { line1: 'Mine now' }],
    ['DELETE', `${ADDRESSES}/${first.id}`, undefined],
    ['POST', `${ADDRESSES}/${first.id}/default`, { kind: 'billing' }],
    ['GET', `${ADDRESSES}/adr_nothing`, undefined],
  ] as const)
    expect((await eve.refusal(path, method, body)).slice(0, 2)).toEqual([404, 'NOT_FOUND']);
  expect(await ann.refusal(ADDRESSES, 'POST', { line1: 'x' })).toEqual([
    400,
    'VALIDATION_MISSING_FIELD',
    undefined,
  ]);
  expect((await ann.refusal(`${ADDRESSES}/${first.id}/default`, 'POST', { kind: 'both' }))[0]).toBe(400);
  expect(await ann.data(`${ADDRESSES}/${second.id}`, 'DELETE')).toEqual({ deleted: true });
  expect((await ann.refusal(`${ADDRESSES}/${second.id}`, 'DELETE'))[0]).toBe(404);
});

it('many defaults at once leave one; a full book takes no more', async () => {
  const bob = await customerClient(app);
  const ids: string[] = [];
  for (let n = 0; n < 50; n++)
    ids.push((await bob.data<Shown>(ADDRESSES, 'POST', { ...ANN, line1: `${n} Street` })).id);
  expect((await bob.refusal(ADDRESSES, 'POST', ANN)).slice(0, 2)).toEqual([400, 'VALIDATION_ERROR']);
  await Promise.all(
    ids.slice(0, 8).map((id) => bob.data(`${ADDRESSES}/${id}/default`, 'POST', { kind: 'shipping' })),
  );
  const all = await bob.data<Shown[]>(ADDRESSES);
  expect(all.filter(({ is_default_shipping: isDefault }) => isDefault)).toHaveLength(1);
});

it('each change of the choice about offers leaves a proof, the same choice none', async () => {
  const proofs = () =>
    knex()('customer_consents')
      .where({ customer_id: ann.id })
      .orderBy('id')
      .select('granted', 'source', 'ip');
  const choose = (body: object) => ann.data('/api/shop/account/preferences', 'PATCH', body);
  expect(await choose({ accepts_marketing: true, cart_reminders: false })).toEqual({
    accepts_marketing: true,
    cart_reminders: false,
    review_requests: true,
  });
  await choose({ accepts_marketing: true });
  await newsletter.subscribe(app.ctx, { email: ann.email, locale: 'en', consentText: 'News' });
  await choose({ accepts_marketing: false });
  const rows = await proofs();
  expect(rows.map(({ granted, source }) => [Boolean(granted), source])).toEqual([
    [true, 'preferences'],
    [false, 'preferences'],
  ]);
  expect(rows[0].ip).toEqual(expect.any(String));
  const left = await knex()('newsletter_subscribers').where({ email: ann.email }).first('status');
  expect(left).toEqual({ status: 'unsubscribed' });
});

it('the link of an email unsubscribes by its button alone, as often as it is followed', async () => {
  await setMarketing(app.ctx, ann.id, { granted: true, source: 'staff' });
  const accepts = async () =>
    Boolean((await knex()('customers').where({ id: ann.id }).first('accepts_marketing')).accepts_marketing);
  const browser = openBrowser(app.send);
  const path = unsubscribePath(app.ctx, ann.id);
  const page = await browser.open(path);
  expect([page.status, page.headers['referrer-policy'], await accepts()]).toEqual([200, 'no-referrer', true]);
  expect((await browser.submit(path, {})).status).toBe(200);
  expect(await accepts()).toBe(false);
  const token = unsubscribeToken(app.ctx, ann.id);
  const sent = (body: object) => app.send('/api/shop/unsubscribe', { method: 'POST', body });
  expect((await sent({ token })).body).toMatchObject({ success: true, data: { unsubscribed: true } });
  for (const wrong of [`${token}x`, token.replace(/.$/, ''), `${eve.id}.${token.split('.')[1]}`, 'x']) {
    const reply = await sent({ token: wrong });
    expect([reply.status, reply.body.error_code, detailsOf(reply).reason]).toEqual([
      400,
      'VALIDATION_ERROR',
      'TOKEN_INVALID',
    ]);
  }
  expect((await browser.open(`/shop/unsubscribe/${eve.id}.nonsense`)).status).toBe(404);
});

it('a mail program unsubscribes by one press, without a cookie and a token', async () => {
  const accepts = async () =>
    Boolean((await knex()('customers').where({ id: ann.id }).first('accepts_marketing')).accepts_marketing);
  const press = (path: string, body: string, type: string) =>
    app.send(path, { method: 'POST', body, headers: { 'Content-Type': type } });
  const plain = ['List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded'] as const;
  const parts = [
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    'multipart/form-data; boundary=x',
  ] as const;
  for (const [body, type] of [plain, parts]) {
    await setMarketing(app.ctx, ann.id, { granted: true, source: 'staff' });
    const forged = unsubscribePath(app.ctx, ann.id).replace(/.$/, (end) => (end === 'A' ? 'B' : 'A'));
    expect([(await press(forged, body, type)).status, await accepts()]).toEqual([404, true]);
    const path = unsubscribePath(app.ctx, ann.id);
    expect([(await press(path, body, type)).status, await accepts()]).toEqual([200, false]);
    expect((await press(path, body, type)).status).toBe(200);
  }
});

it('a copy of all data comes twice a day, with nothing of anybody else', async () => {
  const strict = await startApp({ limits: 'on' });
  const bob = await customerClient(strict);
  await bob.data(ADDRESSES, 'POST', { ...ANN, line1: 'Bobs own street' });
  await customerClient(strict, { email: 'somebody-else@mail.example' });
  await noteConsent(strict.ctx, { customerId: bob.id, granted: true, source: 'staff' });
  const first = await bob.send('/api/shop/account/export');
  expect([first.status, first.headers['content-disposition']]).toEqual([
    200,
    'attachment; filename="my-data.json"',
  ]);
  const { data } = JSON.parse(first.text) as { data: Record<string, Record<string, unknown>[]> };
  expect(data.customers).toMatchObject([{ id: bob.id, email: bob.email }]);
  expect(data.customer_addresses).toMatchObject([{ line1: 'Bobs own street' }]);
  expect(data.customer_consents).toHaveLength(1);
  expect(first.text).not.toContain('somebody-else');
  expect(first.text).not.toMatch(/password_hash|argon2/);
  expect((await bob.send('/api/shop/account/export')).status).toBe(200);
  expect((await bob.send('/api/shop/account/export')).status).toBe(429);
  await strict.close();
});

it('an account is deleted with word and password, once; its sessions end and the address is free again', async () => {
  const bob = await customerClient(app, { email: 'bob-goes@mail.example' });
  await bob.data(ADDRESSES, 'POST', { ...ANN, line1: 'Bobs last street' });
  const away = (body: object) => bob.refusal('/api/shop/account', 'DELETE', body);
  expect((await away({ password: bob.password, confirm: 'delete' })).slice(0, 2)).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
  expect((await away({ password: 'wrong', confirm: 'DELETE' })).slice(0, 2)).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
  expect((await away({ confirm: 'DELETE' })).slice(0, 2)).toEqual([400, 'VALIDATION_MISSING_FIELD']);
  expect(
    await bob.data('/api/shop/account', 'DELETE', { password: bob.password, confirm: 'DELETE' }),
  ).toEqual({ deleted: true, open_orders: 0, open_returns: 0 });
  expect((await bob.send('/api/shop/account')).status).toBe(401);
  expect(await findTexts(knex(), ['bob-goes@mail.example', 'Bobs last street'])).toEqual([]);
  const login = { email: bob.email, password: bob.password };
  expect((await (await openJson(app)).refusal('/api/shop/auth/login', 'POST', login)).slice(0, 2)).toEqual([
    401,
    'AUTH_UNAUTHORIZED',
  ]);
  expect((await customerClient(app, { email: bob.email })).id).not.toBe(bob.id);
});

it('pages: profile, emails, addresses and deletion work without a script', async () => {
  const bob = await customerClient(app);
  const at = (path: string) => bob.browser.open(`/shop/account${path}`);
  for (const path of [
    '',
    '/profile',
    '/preferences',
    '/delete',
    '/addresses',
    '/addresses/new',
    '/orders',
    '/gift-cards',
  ])
    expect([path, (await at(path)).status]).toEqual([path, 200]);
  expect((await openBrowser(app.send).open('/shop/account/profile')).status).toBe(303);
  const saved = await bob.browser.submit('/shop/account/profile', {
    first_name: 'Bob',
    last_name: '',
    phone: '12',
    birthday: '',
  });
  expect([saved.status, saved.headers.location]).toEqual([303, '/shop/account/profile?done=1']);
  expect((await at('/profile?done=1')).text).toContain('value="Bob"');
  const wrong = await bob.browser.submit('/shop/account/addresses/new', { name: 'Bob', country: 'US' });
  expect([wrong.status, wrong.text.includes('field-line1-error')]).toEqual([400, true]);
  const added = await bob.browser.submit('/shop/account/addresses/new', { ...ANN, line1: '77 Page Street' });
  expect(added.status).toBe(303);
  const list = (await at('/addresses')).text;
  expect(list).toContain('77 Page Street');
  const id = /\/shop\/account\/addresses\/(adr_\w+)/.exec(list)?.[1];
  expect((await eve.browser.open(`/shop/account/addresses/${id}`)).status).toBe(404);
  const sent = { _csrf: tokenIn(list) };
  expect((await bob.browser.post(`/shop/account/addresses/${id}/remove`, sent)).status).toBe(303);
  expect((await at('/addresses')).text).not.toContain('77 Page Street');
  const kept = await bob.browser.submit('/shop/account/delete', { password: 'wrong', confirm: 'DELETE' });
  expect([kept.status, kept.text.includes('The password is wrong.')]).toEqual([400, true]);
  const gone = await bob.browser.submit('/shop/account/delete', {
    password: bob.password,
    confirm: 'DELETE',
  });
  expect([gone.status, gone.headers.location]).toEqual([303, '/shop/']);
});

it('a wrong password shows the form of the sign-in again, with the email address and what is wrong', async () => {
  const again = await openBrowser(app.send).submit('/shop/login', { email: eve.email, password: 'wrong' });
  expect(again.status).toBe(401);
  for (const part of [`value="${eve.email}"`, 'name="password"', 'the password is wrong'])
    expect(again.text).toContain(part);
});
