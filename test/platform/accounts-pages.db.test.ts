// Everything around signing in that staff does in a browser without JavaScript: the setup, links, the profile, the second
// factor, sudo; and what attackers send instead (M13, M14, M15; A049, A051, A053, A055, A057, A159).
import { generateSync } from 'otplib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import { oneTimeTokens } from '#platform/one-time-tokens/capability.ts';
import * as settings from '#platform/settings/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, openBrowser } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';

const password = 'correct horse';
const other = 'another horse';

let app: TestApp;
let browser: Browser;
let made = 0;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(() => {
  browser = openBrowser(app.send);
});

/** A member of staff of its own for each test. */
async function member(roles = ['manager']) {
  made += 1;
  const email = `ann${made}@x.test`;
  const { id } = await accounts.create(app.ctx, { email, name: 'Ann', roles, password });
  return { id, email };
}
const signIn = (email: string, typed = password, as: Browser = browser) =>
  as.submit('/admin/login', { email, password: typed });
const isIn = async (as: Browser = browser) => (await as.open('/admin/profile')).status === 200;
const pathOf = (url: string) => url.slice(url.indexOf('/', 'https://'.length));
const both = { password: other, passwordAgain: other };

/** Switches the second factor of an account on. @returns its secret and its recovery codes */
async function enrol(id: string) {
  const { secret } = await accounts.setupTwoFactor(app.ctx, id);
  const codes = await accounts.confirmTwoFactor(app.ctx, id, codeOf(secret));
  app.clock.advance(30);
  return { secret, codes: codes as string[] };
}
const codeOf = (secret: string) =>
  generateSync({ secret, epoch: Math.floor(Date.parse(app.ctx.now()) / 1000) });

describe('the setup in a browser', () => {
  const owner = { name: 'Olga', email: 'olga@x.test', ...both };
  const page = '/admin/setup';

  it('is unknown without a link, and with a wrong one', async () => {
    for (const path of [page, `${page}?token=`, `${page}?token=${'a'.repeat(43)}`])
      expect((await browser.open(path)).status).toBe(404);
    expect((await browser.post(page, owner)).status).toBe(403);
  });

  it('a newer link ends the older one, and each ends by itself', async () => {
    const first = await accounts.issueSetupLink(app.ctx);
    const second = await accounts.issueSetupLink(app.ctx);
    expect((await browser.open(pathOf(first.url))).status).toBe(404);
    const opened = await browser.open(pathOf(second.url));
    expect([opened.status, opened.headers.location]).toEqual([303, page]);
    expect(opened.headers['referrer-policy']).toBe('no-referrer');
    expect((await browser.open(page)).status).toBe(200);
    app.clock.advance(1800);
    expect((await browser.open(page)).status).toBe(404);
    expect((await browser.open(pathOf(second.url))).status).toBe(404);
  });

  it('of two who make the owner at once one does, and is signed in under a new id; then it is gone', async () => {
    const { url } = await accounts.issueSetupLink(app.ctx);
    const browsers = [browser, openBrowser(app.send)];
    for (const one of browsers) await one.open(pathOf(url));
    const before = browser.session();
    const bad = await browser.submit(page, { ...owner, passwordAgain: 'x' });
    expect(bad.status).toBe(400);
    expect(bad.text).toContain('value="olga@x.test"');
    expect(bad.text).toContain('The passwords do not match');
    const common = await browser.submit(page, { ...owner, password: 'letmein1', passwordAgain: 'letmein1' });
    expect(common.text).toContain('>The password is too common; choose another one</a>');
    const replies = await Promise.all(
      browsers.map((one, n) => one.submit(page, { ...owner, email: `olga${n}@x.test` })),
    );
    // Who comes too late is led to the sign-in page, or finds the setup gone.
    const place = replies.findIndex(({ headers }) => headers.location === '/admin/setup/next');
    const late = replies[1 - place];
    expect(late?.status === 404 || late?.headers.location === '/admin/login').toBe(true);
    const winner = browsers[place] as Browser;
    expect(await isIn(winner)).toBe(true);
    expect(winner.session()).not.toBe(before);
    const found = await app.instance.database.db.knex('admin_users').where({ founder: true });
    expect(found).toHaveLength(1);
    expect((await browser.open(page)).status).toBe(404);
    // A second click sends the session and the token of before.
    const again = openBrowser(app.send);
    again.cookies.set('cart_session', before ?? '');
    const second = await again.post(page, owner);
    expect([second.status, second.headers.location]).toEqual([303, '/admin/login']);
    await expect(accounts.issueSetupLink(app.ctx)).rejects.toMatchObject({ code: 'CONFLICT' });
    const next = await winner.submit('/admin/setup/next', {
      name: 'Editor',
      slug: 'editor',
      signingKey: 'true',
    });
    expect([next.status, next.headers.location]).toEqual([303, '/admin/setup/next']);
    const done = await winner.open('/admin/setup/next');
    expect(done.text).toContain('Editor (editor)');
    expect(done.text).toMatch(/<dt>Public key<\/dt><dd><code>[\w+/]{43}=<\/code>/);
  });
});

describe('a link to a new password', () => {
  it('is made of base_url, whatever a request names; to look at it changes nothing', async () => {
    const { id } = await member();
    const { url } = await accounts.linkFor(app.ctx, 'reset-password', id);
    expect(url.startsWith(`${app.ctx.baseUrl}/admin/reset-password/`)).toBe(true);
    const evil = { Host: 'evil.test', 'X-Forwarded-Host': 'evil.test', Forwarded: 'host=evil.test' };
    for (const path of ['/admin/forgot-password', '/store/forgot-password'])
      expect((await browser.open(path, evil)).text).not.toContain('evil.test');
    const { result, changes } = await app.changesBy(() => browser.open(pathOf(url), evil));
    expect(result.status).toBe(200);
    expect(result.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    expect(result.text).not.toContain(url.slice(-43));
    expect(changes).toEqual(nothing);
  });

  it('sets it once, ends every session, and lifts a lock; of two at once one succeeds', async () => {
    const { id, email } = await member();
    await signIn(email);
    await app.instance.database.transaction(async ({ knex }) => {
      await knex('admin_users').where({ id }).update({ locked_until: '2099-01-01T00:00:00.000Z' });
    });
    const path = pathOf((await accounts.linkFor(app.ctx, 'reset-password', id)).url);
    const replies = await Promise.all([1, 2].map(() => openBrowser(app.send).submit(path, both)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    expect(await isIn()).toBe(false);
    expect((await browser.open(path)).status).toBe(404);
    expect((await signIn(email, password)).status).toBe(400);
    expect((await signIn(email, other)).status).toBe(303);
  });

  it('ends with the password, the address, the account and the hour, and with a newer one', async () => {
    const { id } = await member();
    const link = async () => pathOf((await accounts.linkFor(app.ctx, 'reset-password', id)).url);
    const opens = async (path: string) => (await browser.open(path)).status === 200;
    const older = await link();
    const newer = await link();
    expect([await opens(older), await opens(newer)]).toEqual([false, true]);
    await accounts.update(app.ctx, id, { email: `moved${made}@x.test` });
    expect(await opens(newer)).toBe(false);
    const before = await link();
    await accounts.resetPassword(app.ctx, id, { password: other });
    expect(await opens(before)).toBe(false);
    const late = await link();
    app.clock.advance(3600);
    expect(await opens(late)).toBe(false);
  });

  it('of an account with a second factor signs nobody in without it', async () => {
    const { id, email } = await member();
    await enrol(id);
    const path = pathOf((await accounts.linkFor(app.ctx, 'reset-password', id)).url);
    expect((await browser.submit(path, both)).status).toBe(200);
    const { headers } = await signIn(email, other);
    expect(headers.location).toBe('/admin/login/2fa');
    expect(await isIn()).toBe(false);
    expect((await accounts.get(app.ctx, id)).twoFactor).toEqual({ enabled: true, recoveryCodesLeft: 10 });
  });

  it.each([
    ['short', 'must have 8 to 128 characters'],
    ['x'.repeat(129), 'must have 8 to 128 characters'],
    ['P4ssw0rd!2031', 'is too common'],
    ['qwertz12345', 'is too common'],
  ])('refuses %s and stays open', async (bad, why) => {
    const { id } = await member();
    const path = pathOf((await accounts.linkFor(app.ctx, 'reset-password', id)).url);
    const refused = await browser.submit(path, { password: bad, passwordAgain: bad });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(why);
    expect(refused.text).toContain('href="#field-password"');
    expect(refused.text).not.toContain(bad);
    expect((await browser.submit(path, both)).status).toBe(200);
  });

  it('refuses the address and the name of the installation', async () => {
    const { id, email } = await member();
    const path = pathOf((await accounts.linkFor(app.ctx, 'reset-password', id)).url);
    for (const bad of [email, `${email}1`, 'appctl2026!', 'APPCTL-appctl'])
      expect((await browser.submit(path, { password: bad, passwordAgain: bad })).status).toBe(400);
  });
});

describe('an invitation', () => {
  it('is accepted once; until then the account opens nothing', async () => {
    const email = 'new@x.test';
    const { user, link } = await accounts.invite(app.ctx, { email, roles: ['viewer'] });
    expect(user).toMatchObject({ status: 'invited', name: 'new', roles: ['viewer'] });
    expect((await signIn(email)).status).toBe(400);
    const again = await accounts.invite(app.ctx, { email });
    expect((await browser.open(pathOf(link.url))).status).toBe(404);
    const joined = await browser.submit(pathOf(again.link.url), { name: 'Nora', ...both });
    expect(joined.text).toContain('Your password is set');
    expect(await accounts.get(app.ctx, email)).toMatchObject({ status: 'active', name: 'Nora' });
    expect((await signIn(email, other)).headers.location).toBe('/admin/');
    await expect(accounts.invite(app.ctx, { email })).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

it('a link to sign in does so once, for five minutes, and proves no password', async () => {
  const { id } = await member(['support']);
  const link = async () => pathOf((await accounts.linkFor(app.ctx, 'login-link', id)).url);
  const path = await link();
  const { headers } = await browser.submit(path);
  expect(headers.location).toBe('/admin/');
  expect(await isIn()).toBe(true);
  expect((await openBrowser(app.send).open(path)).status).toBe(404);
  expect((await browser.open('/admin/profile/two-factor')).headers.location).toBe(
    '/admin/sudo?next=%2Fadmin%2Fprofile%2Ftwo-factor',
  );
  const late = await link();
  app.clock.advance(300);
  expect((await openBrowser(app.send).open(late)).status).toBe(404);
});

it('strangers who lock an account keep nobody out who has a link', async () => {
  const { id, email } = await member();
  await app.instance.database.transaction(async ({ knex }) => {
    await knex('admin_users').where({ id }).update({ locked_until: '2099-01-01T00:00:00.000Z' });
  });
  expect((await signIn(email)).status).toBe(400);
  const { url } = await accounts.linkFor(app.ctx, 'login-link', id);
  await browser.submit(pathOf(url));
  expect(await isIn()).toBe(true);
  expect((await signIn(email, password, openBrowser(app.send))).status).toBe(303);
});

it('links that ended 30 days ago are removed, and no other', async () => {
  const { id } = await member();
  const rows = () => app.instance.database.db.knex('one_time_tokens').where({ subject_id: id });
  await accounts.linkFor(app.ctx, 'reset-password', id);
  const [purge] = oneTimeTokens.jobs ?? [];
  await purge?.run(app.ctx);
  expect(await rows()).toHaveLength(1);
  app.clock.advance(3600 + 30 * 86_400);
  expect(await purge?.run(app.ctx)).toMatchObject({ tokens: expect.any(Number) });
  expect(await rows()).toHaveLength(0);
});

it('five hundred who sign in at once are answered: a queue of fifty, and the rest is told to come again', async () => {
  const before = process.memoryUsage().rss;
  let highest = before;
  const replies = await Promise.all(
    Array.from({ length: 500 }, async () => {
      const reply = await signIn('nobody@x.test', 'wrong horse', openBrowser(app.send));
      highest = Math.max(highest, process.memoryUsage().rss);
      return reply;
    }),
  );
  const busy = replies.filter(({ status }) => status === 429);
  expect(replies.filter(({ status }) => status === 400).length + busy.length).toBe(500);
  expect(busy.length).toBeGreaterThan(0);
  for (const { headers } of busy) expect(headers['retry-after']).toBe('2');
  // Five hundred hashes of 19 MiB would be 9.5 GB.
  expect(highest - before).toBeLessThan(400 * 1024 * 1024);
});

describe('the second factor', () => {
  it('is set up with the first code, and asked for after the password; no code works twice', async () => {
    const { id, email } = await member();
    await signIn(email);
    const page = '/admin/profile/two-factor';
    await browser.submit(page, { step: 'begin' });
    const { text } = await browser.open(page);
    expect(text).toContain('src="data:image/svg+xml;base64,');
    const secret = (/instead: <code>([A-Z2-7 ]+)</.exec(text)?.[1] ?? '').replaceAll(' ', '');
    expect((await browser.submit(page, { step: 'confirm', code: '000000' })).status).toBe(400);
    const on = await browser.submit(page, { step: 'confirm', code: codeOf(secret) });
    expect(on.text.match(/[0-9A-Z]{4}(-[0-9A-Z]{4}){3}/g)).toHaveLength(10);
    expect((await accounts.get(app.ctx, id)).twoFactor).toEqual({ enabled: true, recoveryCodesLeft: 10 });

    const first = openBrowser(app.send);
    const { headers } = await signIn(email, password, first);
    expect(headers.location).toBe('/admin/login/2fa');
    const pending = first.session();
    // The code of the enrolment was used up by it.
    expect((await first.submit('/admin/login/2fa', { code: codeOf(secret) })).status).toBe(400);
    app.clock.advance(30);
    const code = codeOf(secret);
    expect((await first.submit('/admin/login/2fa', { code })).headers.location).toBe('/admin/');
    expect(first.session()).not.toBe(pending);
    expect(await isIn(first)).toBe(true);
    const second = openBrowser(app.send);
    await signIn(email, password, second);
    expect((await second.submit('/store/login/2fa', { code })).status).toBe(400);
    expect(await isIn(second)).toBe(false);
  });

  it('gives a session that waits for it no right but that', async () => {
    const { id, email } = await member(['owner']);
    const { secret } = await enrol(id);
    await signIn(email);
    for (const path of ['/admin/', '/admin/profile', '/admin/profile/password', '/admin/sudo'])
      expect((await browser.open(path)).headers.location).toBe(
        `/admin/login?next=${encodeURIComponent(path)}`,
      );
    expect((await browser.open('/admin/login?next=%2Fadmin%2F')).headers.location).toBe(
      '/admin/login/2fa?next=%2Fadmin%2F',
    );
    const late = openBrowser(app.send);
    late.cookies.set('cart_session', browser.session() as string);
    app.clock.advance(601);
    expect((await late.open('/admin/login/2fa')).headers.location).toBe('/admin/login');
    expect((await browser.submit('/admin/login/2fa', { code: codeOf(secret) })).status).not.toBe(200);
    expect(await isIn()).toBe(false);
  });

  it('of a code sent by eight at once, one is let in; and of a recovery code as well', async () => {
    const { id, email } = await member();
    const { secret, codes } = await enrol(id);
    const pending = async () => {
      const one = openBrowser(app.send);
      await signIn(email, password, one);
      return one;
    };
    const eight = async (fields: Record<string, string>) => {
      const browsers = await Promise.all(Array.from({ length: 8 }, pending));
      const replies = await Promise.all(browsers.map((one) => one.submit('/admin/login/2fa', fields)));
      return replies.map(({ status }) => status).toSorted();
    };
    const oneOfEight = [303, ...Array(7).fill(400)];
    expect(await eight({ code: codeOf(secret) })).toEqual(oneOfEight);
    const typed = ` ${(codes[0] as string).toLowerCase().replaceAll('-', ' ')} `;
    await accounts.unlock(app.ctx, id);
    expect(await eight({ recoveryCode: typed })).toEqual(oneOfEight);
    expect((await accounts.get(app.ctx, id)).twoFactor.recoveryCodesLeft).toBe(9);
  });

  it('ten wrong codes lock the account, although the password was right each time', async () => {
    const { id, email } = await member();
    const { secret } = await enrol(id);
    for (let n = 0; n < 10; n++) {
      const one = openBrowser(app.send);
      await signIn(email, password, one);
      expect((await one.submit('/admin/login/2fa', { code: '000000' })).status).toBe(400);
    }
    expect((await accounts.get(app.ctx, id)).lockedUntil).not.toBeNull();
    expect((await signIn(email)).status).toBe(400);
    await accounts.unlock(app.ctx, id);
    await signIn(email);
    expect((await browser.submit('/admin/login/2fa', { code: codeOf(secret) })).status).toBe(303);
  });

  it('is what staff owes first where everybody must have it', async () => {
    const { email } = await member();
    await settings.set(app.ctx, { key: 'require_admin_2fa', value: true });
    try {
      await signIn(email);
      expect((await browser.open('/admin/')).headers.location).toBe(
        '/admin/profile/two-factor?next=%2Fadmin%2F',
      );
      const { text } = await browser.open('/admin/profile/two-factor?next=%2Fadmin%2F');
      expect(text).toContain('Two-factor sign-in is required for all staff here');
    } finally {
      await settings.unset(app.ctx, 'require_admin_2fa');
    }
    expect((await browser.open('/admin/')).status).toBe(200);
  });
});

describe('the profile', () => {
  it('lists the sessions of the account alone, and ends them', async () => {
    const ann = await member();
    const bob = await member();
    await signIn(ann.email);
    const second = openBrowser(app.send);
    await signIn(ann.email, password, second);
    const bobs = openBrowser(app.send);
    await signIn(bob.email, password, bobs);
    const [of] = await accounts.sessionsOf(app.ctx, bob.id);
    const { text } = await browser.open('/admin/profile');
    const [other] = [...text.matchAll(/name="session" value="(ses_\w+)"/g)].map(([, id]) => id);
    const csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const refused = await browser.post('/admin/profile/sessions', { _csrf: csrf, session: of?.id ?? '' });
    expect(refused.status).toBe(404);
    expect(await isIn(bobs)).toBe(true);
    const ended = await browser.post('/admin/profile/sessions', { _csrf: csrf, session: other ?? '' });
    expect(ended.headers.location).toBe('/admin/profile?done=session');
    expect([await isIn(), await isIn(second)]).toEqual([true, false]);
    await signIn(ann.email, password, second);
    await browser.post('/admin/profile/sessions', { _csrf: csrf, session: 'others' });
    expect([await isIn(), await isIn(second)]).toEqual([true, false]);
  });

  it('a new password ends the other sessions, and a replayed cookie of this one', async () => {
    const { email } = await member();
    await signIn(email);
    const replay = openBrowser(app.send);
    replay.cookies.set('cart_session', browser.session() as string);
    const second = openBrowser(app.send);
    await signIn(email, password, second);
    const page = '/admin/profile/password';
    const wrong = await browser.submit(page, { currentPassword: 'wrong horse', ...both });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('href="#field-currentPassword"');
    const done = await browser.submit(page, { currentPassword: password, ...both });
    expect(done.headers.location).toBe('/admin/profile?done=password');
    expect([await isIn(), await isIn(second), await isIn(replay)]).toEqual([true, false, false]);
  });

  it('asks for a password of one’s own where somebody else chose it', async () => {
    const email = `given${made}@x.test`;
    await accounts.create(app.ctx, { email, roles: ['owner'], password, mustChangePassword: true });
    await signIn(email);
    const { location } = (await browser.open('/admin/')).headers;
    expect(location).toBe('/admin/profile/password?next=%2Fadmin%2F');
    const done = await browser.submit(location as string, { currentPassword: password, ...both });
    expect(done.headers.location).toBe('/admin/');
    expect((await browser.open('/admin/')).status).toBe(200);
  });

  it('has the password again before what protects it, for ten minutes', async () => {
    const { email } = await member();
    await signIn(email);
    const page = '/admin/profile/two-factor';
    expect((await browser.open(page)).status).toBe(200);
    app.clock.advance(600);
    const { location } = (await browser.open(page)).headers;
    expect(location).toBe(`/admin/sudo?next=${encodeURIComponent(page)}`);
    expect((await browser.submit(location as string, { password: 'wrong horse' })).status).toBe(400);
    expect((await browser.submit(location as string, { password })).headers.location).toBe(page);
    expect((await browser.open(page)).status).toBe(200);
    const evil = await browser.submit('/admin/sudo?next=%2F%2Fevil.test', { password });
    expect(evil.headers.location).toBe('/admin/');
  });
});
