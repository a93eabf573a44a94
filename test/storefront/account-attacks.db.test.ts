// Accounts of customers under attack: limits, fixed sessions, links that are used again, and what answers and their time
// give away (M13 to M15; A025, A045, A047, A049, A051, A065, A069).
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as secondFactor from '#platform/second-factor/index.ts';
import { register } from '#storefront/people/accounts/index.ts';
import { credentials } from '#storefront/people/customers/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import type { HttpReply } from '../support/http-client.ts';
import { totpCode } from '../support/totp.ts';
import { customerClient, openJson, PASSWORD, registered } from './customer-client.ts';
import { linkMailed } from './mailed-links.ts';

const AUTH = '/api/shop/auth';
const NEW = 'another fine password';

let app: TestApp;
/** With limits; each counts one thing. */
let strict: TestApp;
let stricter: TestApp;
beforeAll(async () => {
  app = await startApp();
  [strict, stricter] = [await startApp({ limits: 'on' }), await startApp({ limits: 'on' })];
}, 120_000);
afterAll(async () => {
  for (const one of [app, strict, stricter]) await one.close();
});

type Json = Awaited<ReturnType<typeof openJson>>;
const knex = () => app.instance.database.db.knex;
const signIn = (client: Json, email: string, password = PASSWORD) =>
  client.send(`${AUTH}/login`, 'POST', { email, password });
/** A browser that sends another one's cookie of the session. */
function thief(cookie: string | undefined) {
  const other = openBrowser(app.send);
  other.cookies.set('cart_session', cookie ?? '');
  return other;
}
const whoIs = async (browser: ReturnType<typeof thief>) =>
  ((await browser.open('/api/shop/session')).body.data as unknown as { customer: object | null }).customer;

/** Statuses of some requests, the last of which is refused with the three headers of a limit. */
async function refusedAfter(allowed: number, attempt: (n: number) => Promise<HttpReply>) {
  const statuses: number[] = [];
  for (let n = 0; n < allowed; n += 1) statuses.push((await attempt(n)).status);
  expect(statuses).not.toContain(429);
  const { status, body, headers } = await attempt(allowed);
  expect([status, body.error_code]).toEqual([429, 'RATE_LIMITED']);
  for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'])
    expect(headers[name]).toMatch(/^\d+$/);
  expect([headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual([String(allowed), '0']);
}

it('counts ten sign-ins in five minutes for an address, whatever changes beside it; the right password is no help', async () => {
  const { email } = await registered(strict);
  const client = await openJson(strict);
  const { body } = await client.browser.open('/api/shop/session');
  const token = (body.data as unknown as { csrf_token: string }).csrf_token;
  const cookie = `cart_session=${client.browser.session()}`;
  await refusedAfter(10, (n) =>
    strict.send(`${AUTH}/login`, {
      method: 'POST',
      body: {
        email: n % 2 ? email.toUpperCase() : `${n}-${email}`,
        password: n > 9 ? PASSWORD : `wrong ${n}`,
      },
      headers: {
        Cookie: cookie,
        'X-CSRF-Token': token,
        'User-Agent': `Browser ${n}`,
        'X-Forwarded-For': `192.0.2.${n}`,
      },
    }),
  );
  // The page shares the count.
  const page = await client.browser.submit('/shop/login', { email, password: PASSWORD });
  expect(page.status).toBe(429);
});

it('counts ten codes in five minutes, and five registrations in ten', async () => {
  const { ctx } = stricter;
  const email = 'codes@x.test';
  const said = { email, firstName: null, lastName: null, acceptsMarketing: false, locale: 'en' };
  await register(ctx, { ...said, password: PASSWORD });
  const { id } = (await credentials.findByEmail(ctx, email)) as { id: string };
  await ctx.tx((ctx) => credentials.change(ctx, id, { emailVerifiedAt: ctx.now() }));
  const { secret } = await secondFactor.setup(ctx, id, email, 'Shop');
  const code = () => totpCode(secret, Date.parse(ctx.now()));
  await ctx.tx((ctx) => secondFactor.confirm(ctx, id, code()));
  stricter.clock.advance(60);
  const client = await openJson(stricter);
  const first = await signIn(client, email);
  const { challenge_id } = first.body.data as unknown as { challenge_id: string };
  await refusedAfter(10, (n) =>
    client.send(`${AUTH}/login/2fa`, 'POST', {
      challenge_id: n < 5 ? challenge_id : 'another',
      code: n === 10 ? code() : '000000',
    }),
  );
  // Input that is refused gives its point back, by JSON and on the page.
  for (let n = 0; n < 7; n += 1)
    expect(
      await client.refusal(`${AUTH}/register`, 'POST', { email: 'a@x.test', password: 'short' }),
    ).toEqual([...[400, 'VALIDATION_ERROR', undefined]]);
  const typed = await client.browser.submit('/shop/register', { email: 'a@x.test', password: 'short' });
  expect(typed.status).toBe(400);
  await refusedAfter(5, (n) =>
    client.send(`${AUTH}/register`, 'POST', { email: `many-${n}@x.test`, password: PASSWORD }),
  );
});

it('never hashes what is too long for a password, and reads no body that is too large (A047)', async () => {
  const client = await openJson(app);
  const email = 'too-long@x.test';
  for (const length of [129, 10_000]) {
    const sent = { email, password: 'x1'.repeat(length).slice(0, length) };
    const { status, body } = await client.send(`${AUTH}/register`, 'POST', sent);
    expect([length, status, body.error_code]).toEqual([length, 400, 'VALIDATION_ERROR']);
  }
  const { status, body } = await client.send(`${AUTH}/register`, 'POST', {
    email,
    password: PASSWORD,
    first_name: 'x'.repeat(1_500_000),
  });
  expect([status, body.error_code]).toEqual([413, 'VALIDATION_ERROR']);
  expect(await credentials.findByEmail(app.ctx, email)).toBeUndefined();
});

it('gives a new id at each change of rights; the cookie of before opens nothing', async () => {
  const { email } = await registered(app);
  const client = await openJson(app);
  // Somebody put this cookie into the browser, or has read it.
  const fixed = client.browser.session();
  await signIn(client, email);
  const own = client.browser.session();
  expect(own).not.toBe(fixed);
  expect(await whoIs(client.browser)).toMatchObject({ email });
  expect(await whoIs(thief(fixed))).toBeNull();
  expect((await thief(fixed).open('/shop/account')).status).toBe(303);
  // A guest's cookie is not made a customer's by signing in with it once more.
  const planted = thief(fixed);
  await planted.submit('/shop/login', { email, password: PASSWORD });
  expect(planted.session()).not.toBe(fixed);
  await client.data(`${AUTH}/logout`, 'POST', {});
  expect(client.browser.session()).not.toBe(own);
  expect(await whoIs(thief(own))).toBeNull();
});

it('gives a new id with the password and once more with the code; neither of before opens anything', async () => {
  const ann = await customerClient(app);
  const { secret } = await ann.data<{ secret: string }>(`${AUTH}/2fa/setup`, 'POST', { password: PASSWORD });
  const code = () => totpCode(secret, Date.parse(app.ctx.now()));
  await ann.data(`${AUTH}/2fa/enable`, 'POST', { code: code() });
  app.clock.advance(60);
  const client = await openJson(app);
  const guest = client.browser.session();
  const { challenge_id } = (await signIn(client, ann.email)).body.data as unknown as { challenge_id: string };
  const pending = client.browser.session();
  expect(pending).not.toBe(guest);
  // Half signed in is nobody.
  expect(await whoIs(thief(pending))).toBeNull();
  expect((await client.refusal('/api/shop/account')).slice(0, 2)).toEqual([401, 'AUTH_UNAUTHORIZED']);
  await client.data(`${AUTH}/login/2fa`, 'POST', { challenge_id, code: code() });
  expect([guest, pending]).not.toContain(client.browser.session());
  expect(await whoIs(client.browser)).toMatchObject({ email: ann.email });
  expect(await whoIs(thief(pending))).toBeNull();
  const again = { challenge_id, code: code() };
  expect((await client.refusal(`${AUTH}/login/2fa`, 'POST', again)).slice(0, 2)).toEqual([
    401,
    'AUTH_UNAUTHORIZED',
  ]);
});

it('takes each mailed link once, for its own purpose alone, and not after its time', async () => {
  const invalid = [400, 'VALIDATION_ERROR', 'TOKEN_INVALID'];
  const client = await openJson(app);
  const email = 'links@x.test';
  await client.data(`${AUTH}/register`, 'POST', { email, password: PASSWORD });
  const verify = await linkMailed(app, email, 'email_verification', 'verify_url');
  await client.data(`${AUTH}/forgot-password`, 'POST', { email });
  const reset = await linkMailed(app, email, 'password_reset', 'reset_url');
  const tried = (path: string, body: object) => client.refusal(path, 'POST', body);
  expect(await tried(`${AUTH}/reset-password`, { token: verify, password: NEW })).toEqual(invalid);
  expect(await tried(`${AUTH}/verify-email`, { token: reset })).toEqual(invalid);
  expect(await tried('/api/shop/account/change-email/confirm', { token: reset })).toEqual(invalid);
  for (const token of ['', 'x', verify.slice(0, -1), `${verify}x`, verify.toUpperCase()])
    expect((await tried(`${AUTH}/verify-email`, { token }))[0]).toBe(400);
  await client.data(`${AUTH}/verify-email`, 'POST', { token: verify });
  expect(await tried(`${AUTH}/verify-email`, { token: verify })).toEqual(invalid);
  // What is mailed next ends what was mailed before; a password that was changed ends both.
  app.clock.advance(61);
  await client.data(`${AUTH}/forgot-password`, 'POST', { email });
  expect(await tried(`${AUTH}/reset-password`, { token: reset, password: NEW })).toEqual(invalid);
  const newest = await linkMailed(app, email, 'password_reset', 'reset_url');
  app.clock.advance(3601);
  await client.renew();
  expect(await tried(`${AUTH}/reset-password`, { token: newest, password: NEW })).toEqual([
    400,
    'VALIDATION_ERROR',
    'TOKEN_EXPIRED',
  ]);
});

const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]))
    : typeof value;

it('answers a known address as an unknown one: status, fields and headers', async () => {
  const { email } = await registered(app);
  const answerTo = async (path: string, body: object) => {
    const client = await openJson(app);
    const { status, body: said, headers } = await client.send(`${AUTH}/${path}`, 'POST', body);
    return [status, shapeOf(said), Object.keys(headers).sort(), headers['content-length']?.length];
  };
  const paths = [
    ['register', { password: PASSWORD, first_name: 'Ann' }],
    ['login', { password: 'wrong wrong' }],
    ['forgot-password', {}],
    ['resend-verification', {}],
  ] as const;
  for (const [path, more] of paths)
    expect([path, await answerTo(path, { ...more, email })]).toEqual([
      path,
      await answerTo(path, { ...more, email: `nobody-${path}@x.test` }),
    ]);
});

it('works as much for an unknown address as for a known one', async () => {
  const { email } = await registered(app);
  const client = await openJson(app);
  const posted = vi.spyOn(Worker.prototype, 'postMessage');
  const hashed = () => posted.mock.calls.filter(([of]) => Object.hasOwn(of as object, 'passes')).length;
  try {
    await signIn(client, email, 'wrong wrong');
    expect(hashed()).toBe(1);
    await signIn(client, 'nobody-at-all@x.test', 'wrong wrong');
    expect(hashed()).toBe(2);
  } finally {
    posted.mockRestore();
  }
  // These write an email to one of the two only, so none is answered before a time that is enough for it.
  const ask = (path: string, address: string) => client.send(`${AUTH}/${path}`, 'POST', { email: address });
  for (const path of ['forgot-password', 'resend-verification'])
    for (const address of [email, 'nobody@x.test']) {
      const before = performance.now();
      await ask(path, address);
      expect(performance.now() - before).toBeGreaterThanOrEqual(390);
    }
});

it('changes nothing that the customer does not own, and shows nothing that staff keep (A025, A065, A069)', async () => {
  const ann = await customerClient(app);
  const row = () => knex()('customers').where({ id: ann.id }).first();
  const { updated_at: _before, ...before } = await row();
  const sent = {
    email: 'other@x.test',
    id: 'cst_other',
    is_guest: true,
    status: 'disabled',
    email_verified_at: null,
    order_count: 99,
    spent_cents: 99,
    tags: ['vip'],
    tax_exempt: true,
    accepts_marketing: true,
    password_hash: 'x',
  };
  expect((await ann.send('/api/shop/account', 'PATCH', sent)).status).toBe(200);
  const { updated_at: _after, ...after } = await row();
  expect(after).toEqual(before);
  const shown = await ann.data<object>('/api/shop/account');
  expect(Object.keys(shown).sort()).toEqual(
    [
      'accepts_marketing',
      'birthday',
      'company',
      'created_at',
      'custom_fields',
      'email',
      'email_verified',
      'first_name',
      'id',
      'last_name',
      'loyalty_balance',
      'phone',
      'two_factor_enabled',
    ].filter((name) => name in shown),
  );
  for (const path of ['/api/store/orders', `/api/store/customers/${ann.id}`])
    expect((await ann.refusal(path)).slice(0, 2)).toEqual([401, 'AUTH_UNAUTHORIZED']);
});

it('ends a session at the very next request after the account was disabled or its password changed (A049)', async () => {
  const ann = await customerClient(app);
  const other = await openJson(app);
  await signIn(other, ann.email);
  const stolen = other.browser.session();
  const right = { current_password: PASSWORD, new_password: NEW };
  await ann.data('/api/shop/account/change-password', 'POST', right);
  expect(await whoIs(thief(stolen))).toBeNull();
  await app.instance.database.transaction(async ({ knex }) => {
    await knex('customers').where({ id: ann.id }).update({ status: 'disabled' });
  });
  expect((await ann.refusal('/api/shop/account')).slice(0, 2)).toEqual([401, 'AUTH_UNAUTHORIZED']);
  expect((await ann.browser.open('/shop/account')).status).toBe(303);
});

it('leads a guest whose session has gone to the sign-in, and not to where an attacker wants', async () => {
  const { email } = await registered(app);
  for (const next of ['//evil.test', '/\\evil.test', 'https://evil.test', 'javascript:1', '/%09/evil.test']) {
    const browser = openBrowser(app.send);
    const path = `/shop/login?next=${encodeURIComponent(next)}`;
    const { headers, status } = await browser.submit(path, { email, password: PASSWORD });
    expect([next, status, headers.location]).toEqual([next, 303, '/shop/account']);
  }
  await vi.waitFor(async () =>
    expect((await credentials.findByEmail(app.ctx, email))?.lockedUntil).toBeNull(),
  );
});
