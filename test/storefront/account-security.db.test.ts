// What protects an account: links of mails, other passwords and addresses, the second factor, sessions (M13 to M16).
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { credentials } from '#storefront/people/customers/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { totpCode } from '../support/totp.ts';
import { customerClient, openJson, PASSWORD, registered } from './customer-client.ts';
import { linkMailed } from './mailed-links.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const AUTH = '/api/shop/auth';
const SECURITY = '/shop/account/security';
const NEW = 'another fine password';
const rowOf = (id: string) => app.instance.database.db.knex('customers').where({ id }).first();
const templatesTo = (email: string): Promise<string[]> =>
  app.instance.database.db.knex('email_log').where({ to_address: email }).orderBy('id').pluck('template');
const code = (secret: string) => totpCode(secret, Date.parse(app.ctx.now()));
const invalid = [400, 'VALIDATION_ERROR', 'TOKEN_INVALID'];

/** A customer with a second factor. */
async function withFactor() {
  const ann = await customerClient(app);
  const { secret } = await ann.data<{ secret: string }>(`${AUTH}/2fa/setup`, 'POST', { password: PASSWORD });
  const { recovery_codes } = await ann.data<{ recovery_codes: string[] }>(`${AUTH}/2fa/enable`, 'POST', {
    code: code(secret),
  });
  app.clock.advance(30);
  return { ...ann, secret, recovery: recovery_codes };
}

/** The challenge of a sign-in whose password was right. */
async function challenged(email: string) {
  const client = await openJson(app);
  const { challenge_id } = await client.data<{ challenge_id: string }>(`${AUTH}/login`, 'POST', {
    email,
    password: PASSWORD,
  });
  return { client, challenge_id };
}

it('sets a new password by a mailed link, once; every session and every other link ends', async () => {
  const ann = await customerClient(app);
  expect(await ann.data(`${AUTH}/forgot-password`, 'POST', { email: ann.email })).toEqual({ sent: true });
  const token = await linkMailed(app, ann.email, 'password_reset', 'reset_url');
  const weak = { token, password: 'short' };
  expect((await ann.refusal(`${AUTH}/reset-password`, 'POST', weak))[0]).toBe(400);
  const reset = { token, password: NEW };
  expect(await ann.data(`${AUTH}/reset-password`, 'POST', reset)).toEqual({ reset: true });
  expect(await ann.refusal(`${AUTH}/reset-password`, 'POST', reset)).toEqual(invalid);
  expect((await ann.browser.open('/shop/account')).status).toBe(303);
  const again = await openJson(app);
  expect((await again.send(`${AUTH}/login`, 'POST', { email: ann.email, password: PASSWORD })).status).toBe(
    401,
  );
  expect((await again.send(`${AUTH}/login`, 'POST', { email: ann.email, password: NEW })).status).toBe(200);
});

it('builds links from base_url, and says the same of every address', async () => {
  const { email } = await registered(app);
  const stranger = await openJson(app);
  const cookies = [...stranger.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const { body } = await stranger.browser.open('/api/shop/session');
  const token = (body.data as unknown as { csrf_token: string }).csrf_token;
  const hostile = { 'X-Forwarded-Host': 'evil.test', Forwarded: 'host=evil.test' };
  const answers = [];
  for (const address of [email, 'unknown@x.test']) {
    const { status, text } = await app.send(`${AUTH}/forgot-password`, {
      method: 'POST',
      body: { email: address },
      headers: { Cookie: cookies, 'X-CSRF-Token': token, ...hostile },
    });
    answers.push([status, text]);
  }
  expect(answers[0]).toEqual(answers[1]);
  const rows = await app.instance.database.db.knex('email_log').where({ to_address: email });
  expect(rows.at(-1)?.template).toBe('password_reset');
  expect(await templatesTo('unknown@x.test')).toEqual([]);
  for (const address of [email, 'unknown@x.test'])
    expect(await stranger.data(`${AUTH}/resend-verification`, 'POST', { email: address })).toEqual({
      sent: true,
    });
});

it('gives an address to whoever proves it: password, factor and sessions of the squatter are gone (A059)', async () => {
  const email = 'victim@x.test';
  const squatter = await openJson(app);
  await squatter.data(`${AUTH}/register`, 'POST', { email, password: 'of the squatter' });
  const victim = await openJson(app);
  await victim.data(`${AUTH}/register`, 'POST', { email, password: PASSWORD, first_name: 'Vic' });
  const token = await linkMailed(app, email, 'email_verification', 'verify_url');
  await victim.data(`${AUTH}/verify-email`, 'POST', { token });
  const login = (client: typeof victim, password: string) =>
    client.send(`${AUTH}/login`, 'POST', { email, password });
  expect((await login(squatter, 'of the squatter')).status).toBe(401);
  const { status, body } = await login(victim, PASSWORD);
  expect([status, (body.data as unknown as { customer: object }).customer]).toMatchObject([
    200,
    { first_name: 'Vic', email_verified: true },
  ]);
});

it("leaves nobody's password where two registered an address and its owner follows a link that brings none", async () => {
  const email = 'contested@x.test';
  const squatter = await openJson(app);
  await squatter.data(`${AUTH}/register`, 'POST', { email, password: 'of the squatter' });
  const victim = await openJson(app);
  await victim.data(`${AUTH}/register`, 'POST', { email, password: PASSWORD });
  app.clock.advance(61);
  await victim.data(`${AUTH}/resend-verification`, 'POST', { email });
  const token = await linkMailed(app, email, 'email_verification', 'verify_url');
  await victim.data(`${AUTH}/verify-email`, 'POST', { token });
  for (const password of ['of the squatter', PASSWORD])
    expect((await victim.send(`${AUTH}/login`, 'POST', { email, password })).status).toBe(401);
  await victim.data(`${AUTH}/forgot-password`, 'POST', { email });
  const reset = await linkMailed(app, email, 'password_reset', 'reset_url');
  await victim.data(`${AUTH}/reset-password`, 'POST', { token: reset, password: NEW });
  expect((await victim.send(`${AUTH}/login`, 'POST', { email, password: NEW })).status).toBe(200);
});

it('tells the old address of a change, whether or not the new one has an account', async () => {
  const { email: taken } = await registered(app);
  for (const email of [taken, 'free@x.test']) {
    const ann = await customerClient(app);
    await ann.data('/api/shop/account/change-email', 'POST', { password: PASSWORD, new_email: email });
    expect(await templatesTo(ann.email)).toContain('email_change_notice');
  }
});

it('changes the password: the other browsers are out, this one goes on under a new id', async () => {
  const ann = await customerClient(app);
  const other = await openJson(app);
  await other.data(`${AUTH}/login`, 'POST', { email: ann.email, password: PASSWORD });
  const wrong = { current_password: 'wrong wrong', new_password: NEW };
  expect((await ann.refusal('/api/shop/account/change-password', 'POST', wrong))[0]).toBe(400);
  const before = ann.browser.session();
  const right = { current_password: PASSWORD, new_password: NEW };
  expect(await ann.data('/api/shop/account/change-password', 'POST', right)).toMatchObject({ changed: true });
  expect(ann.browser.session()).not.toBe(before);
  expect((await ann.browser.open('/shop/account')).status).toBe(200);
  expect((await other.browser.open('/shop/account')).status).toBe(303);
});

it('changes the address with mails to both; a taken one is told to its owner alone', async () => {
  const ann = await customerClient(app);
  const bob = await registered(app);
  const change = (new_email: string, password = PASSWORD) =>
    ann.send('/api/shop/account/change-email', 'POST', { password, new_email });
  expect((await change('fresh@x.test', 'wrong wrong')).status).toBe(400);
  expect((await change(bob.email)).text).toBe((await change('fresh@x.test')).text);
  expect((await templatesTo(bob.email)).at(-1)).toBe('account_exists');
  expect((await templatesTo(ann.email)).at(-1)).toBe('email_change_notice');
  const token = await linkMailed(app, 'fresh@x.test', 'email_change', 'verify_url');
  expect(await ann.data('/api/shop/account/change-email/confirm', 'POST', { token })).toEqual({
    email: 'fresh@x.test',
  });
  expect(await ann.refusal('/api/shop/account/change-email/confirm', 'POST', { token })).toEqual(invalid);
  expect(await rowOf(ann.id)).toMatchObject({ email: 'fresh@x.test', email_norm: 'fresh@x.test' });
});

it('asks for a code after the password; a code and a recovery code work once', async () => {
  const { email, secret, recovery } = await withFactor();
  const { client, challenge_id } = await challenged(email);
  expect(await client.refusal('/api/shop/auth/2fa/setup', 'POST', { password: PASSWORD })).toEqual([
    401,
    'AUTH_UNAUTHORIZED',
    'TWO_FACTOR_REQUIRED',
  ]);
  expect((await client.browser.open('/shop/account')).status).toBe(303);
  const step = (sent: object) => client.send(`${AUTH}/login/2fa`, 'POST', { challenge_id, ...sent });
  expect((await step({ code: '000000' })).status).toBe(401);
  expect(
    (await client.send(`${AUTH}/login/2fa`, 'POST', { challenge_id: 'other', code: code(secret) })).status,
  ).toBe(401);
  expect((await step({ code: code(secret) })).status).toBe(200);
  expect((await client.browser.open('/shop/account')).status).toBe(200);
  const second = await challenged(email);
  const reused = { challenge_id: second.challenge_id, code: code(secret) };
  expect((await second.client.send(`${AUTH}/login/2fa`, 'POST', reused)).status).toBe(401);
  const recover = { challenge_id: second.challenge_id, recovery_code: recovery[0] };
  const both = await Promise.all([1, 2].map(() => second.client.send(`${AUTH}/login/2fa`, 'POST', recover)));
  expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  const third = await challenged(email);
  const spent = { challenge_id: third.challenge_id, recovery_code: recovery[0] };
  expect((await third.client.send(`${AUTH}/login/2fa`, 'POST', spent)).status).toBe(401);
});

it('keeps the second factor when the password is reset (A057), and tells of each change of it', async () => {
  const { email, secret, ...ann } = await withFactor();
  await ann.data(`${AUTH}/forgot-password`, 'POST', { email });
  const token = await linkMailed(app, email, 'password_reset', 'reset_url');
  await ann.data(`${AUTH}/reset-password`, 'POST', { token, password: NEW });
  const client = await openJson(app);
  const { challenge_id } = await client.data<{ challenge_id: string }>(`${AUTH}/login`, 'POST', {
    email,
    password: NEW,
  });
  await client.data(`${AUTH}/login/2fa`, 'POST', { challenge_id, code: code(secret) });
  app.clock.advance(30);
  const off = { password: NEW, code: code(secret) };
  expect(await client.data(`${AUTH}/2fa/disable`, 'POST', off)).toEqual({ enabled: false });
  expect((await templatesTo(email)).filter((one) => one === 'two_factor_changed')).toHaveLength(2);
});

it('locks an account after ten failures, codes among them, and answers as for a wrong password', async () => {
  const { email, id } = await registered(app);
  const client = await openJson(app);
  const attempt = (password: string) => client.send(`${AUTH}/login`, 'POST', { email, password });
  for (let n = 1; n <= 10; n++) {
    await attempt('wrong wrong');
    if (n < 10) await vi.waitFor(async () => expect((await rowOf(id)).failed_logins).toBe(n));
  }
  await vi.waitFor(async () => expect((await rowOf(id)).locked_until).not.toBeNull());
  const locked = await attempt(PASSWORD);
  expect([locked.status, locked.body.error]).toEqual([401, (await attempt('wrong wrong')).body.error]);
  app.clock.advance(15 * 60 + 1);
  await client.renew();
  expect((await attempt(PASSWORD)).status).toBe(200);
});

it('lists sessions and ends one, or all others', async () => {
  const ann = await customerClient(app);
  const other = await openJson(app);
  await other.data(`${AUTH}/login`, 'POST', { email: ann.email, password: PASSWORD });
  const list = () => ann.data<{ id: string; current: boolean }[]>(`${AUTH}/sessions`);
  const found = await list();
  expect(found.map(({ current }) => current).sort()).toEqual([false, true]);
  const theirs = found.find(({ current }) => !current);
  const bob = await customerClient(app);
  expect(await bob.refusal(`${AUTH}/sessions/${theirs?.id}`, 'DELETE')).toEqual([
    404,
    'NOT_FOUND',
    undefined,
  ]);
  expect(await ann.data(`${AUTH}/sessions/${theirs?.id}`, 'DELETE')).toEqual({ deleted: true });
  expect((await other.browser.open('/shop/account')).status).toBe(303);
  await other.renew();
  await other.data(`${AUTH}/login`, 'POST', { email: ann.email, password: PASSWORD });
  const page = await ann.browser.open(SECURITY);
  expect(page.text).toContain('Sign out everywhere else');
  expect((await ann.browser.submit(SECURITY)).status).toBe(405);
  const ended = await ann.browser.submit(`${SECURITY}/password`, {}, {});
  expect(ended.status).toBe(400);
});

it('stays signed in without requests when that was asked for, and only then', async () => {
  const plain = await customerClient(app);
  const { email } = await registered(app);
  const kept = await openJson(app);
  const { headers } = await kept.send(`${AUTH}/login`, 'POST', { email, password: PASSWORD, remember: true });
  expect(headers['set-cookie']?.[0]).toMatch(/Expires=|Max-Age=/);
  app.clock.advance(3 * 3600);
  expect((await plain.browser.open('/shop/account')).status).toBe(303);
  expect((await kept.browser.open('/shop/account')).status).toBe(200);
  app.clock.advance(7 * 86_400);
  expect((await kept.browser.open('/shop/account')).status).toBe(303);
});

it('does it all by pages without scripts', async () => {
  const { email, id } = await registered(app);
  const browser = openBrowser(app.send);
  await browser.submit('/shop/login', { email, password: PASSWORD });
  const refused = await browser.submit(`${SECURITY}/two-factor`, { step: 'setup', password: 'wrong wrong' });
  expect([refused.status, refused.text.includes('The password is wrong.')]).toEqual([400, true]);
  await browser.submit(`${SECURITY}/two-factor`, { step: 'setup', password: PASSWORD });
  const { text } = await browser.open(`${SECURITY}/two-factor`);
  const secret = (/<code dir="ltr">([A-Z2-7 ]+)<\/code>/.exec(text)?.[1] ?? '').replaceAll(' ', '');
  const on = await browser.submit(`${SECURITY}/two-factor`, { step: 'enable', code: code(secret) });
  expect(on.text.match(/<li><code>/g)).toHaveLength(10);
  app.clock.advance(30);
  const next = openBrowser(app.send);
  const first = await next.submit('/shop/login', { email, password: PASSWORD });
  expect(first.headers.location).toBe('/shop/login/2fa');
  expect((await next.submit('/shop/login/2fa', { code: '000000' })).status).toBe(401);
  const second = await next.submit('/shop/login/2fa', { code: code(secret) });
  expect(second.headers.location).toBe('/shop/account');
  const changed = await next.submit(`${SECURITY}/password`, {
    current_password: PASSWORD,
    new_password: NEW,
  });
  expect(changed.headers.location).toBe(`${SECURITY}?done=password`);
  expect((await browser.open('/shop/account')).status).toBe(303);
  expect((await next.submit('/shop/forgot-password', { email })).text).toContain('we sent an email');
  const token = await linkMailed(app, email, 'password_reset', 'reset_url');
  const path = `/shop/reset-password/${token}`;
  expect((await next.submit(path, { password: 'kurz' })).status).toBe(400);
  expect((await next.submit(path, { password: `${NEW}!` })).text).toContain('Your new password is set');
  expect((await next.open(path)).status).toBe(404);
  expect((await credentials.find(app.ctx, id))?.generation).toBeGreaterThan(1);
});

it('is one person in the shop and another one in the panel, in one browser', async () => {
  const ann = await customerClient(app);
  const { session } = await ann.data<{ session?: unknown }>('/api/shop/session');
  expect(session).toBeUndefined();
  expect((await ann.browser.open('/store/')).status).toBe(303);
});
