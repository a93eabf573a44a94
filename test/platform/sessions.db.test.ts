// Sessions over time and under attack: when they end, what their cookie is worth, what races with them (M15; A049, A155).
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOwner } from '#platform/accounts/index.ts';
import { sessions } from '#platform/sessions/capability.ts';
import * as settings from '#platform/settings/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, openBrowser, tokenIn } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';

const right = { email: 'ops@x.test', password: 'correct horse' };
const HOUR = 3600;
const DAY = 86_400;
const toSignIn = '/admin/login?next=%2Fadmin%2F';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  await createOwner(app.ctx, { ...right, name: 'Ops' });
});
afterAll(() => app.close());
beforeEach(async () => {
  browser = openBrowser(app.send);
  await app.instance.database.transaction(async ({ knex }) => {
    await knex('sessions').delete();
  });
});

const rows = () => app.instance.database.db.knex('sessions').select();
const signIn = (with_: Browser = browser) => with_.submit('/admin/login', right);
const isIn = async (with_: Browser = browser) => (await with_.open('/admin/')).status === 200;
/** A browser that sends this text as the cookie of its session. */
const browserWith = (cookie: string): Browser => {
  const other = openBrowser(app.send);
  other.cookies.set('cart_session', cookie);
  return other;
};

describe('a session that somebody signed in with', () => {
  it('is kept under the digest of its id, with where it comes from', async () => {
    await signIn();
    const [row, ...more] = await rows();
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      kind: 'user',
      ip: '127.0.0.1',
      customer_id: null,
      created_at: app.ctx.now(),
    });
    expect(row.id).toMatch(/^ses_[0-9A-Z]{26}$/);
    expect(row.token_hash).toMatch(/^[0-9a-f]{64}$/);
    const id = decodeURIComponent(browser.session() as string).split('.')[2] as string;
    expect(JSON.stringify(row)).not.toContain(id);
  });

  it('ends after two hours without a request, and is noted once a minute at most', async () => {
    await signIn();
    app.clock.advance(59);
    expect(await app.changesBy(() => isIn())).toMatchObject({ result: true, changes: nothing });
    app.clock.advance(1);
    await isIn();
    await vi.waitFor(async () => expect((await rows())[0].last_seen_at).toBe(app.ctx.now()));
    app.clock.advance(2 * HOUR - 1);
    expect(await isIn()).toBe(true);
    await vi.waitFor(async () => expect((await rows())[0].last_seen_at).toBe(app.ctx.now()));
    app.clock.advance(2 * HOUR);
    expect(await isIn()).toBe(false);
  });

  it('ends after seven days, however busy it is', async () => {
    await signIn();
    app.clock.advance(7 * DAY - 1);
    await app.instance.database.transaction(async ({ knex }) => {
      await knex('sessions').update({ last_seen_at: app.ctx.now() });
    });
    expect(await isIn()).toBe(true);
    app.clock.advance(1);
    expect(await isIn()).toBe(false);
  });

  it('ends with settings that are changed meanwhile', async () => {
    await signIn();
    app.clock.advance(30 * 60);
    await settings.set(app.ctx, { key: 'session_idle_timeout_minutes', value: 30 });
    expect(await isIn()).toBe(false);
    await settings.unset(app.ctx, 'session_idle_timeout_minutes');
    expect(await isIn()).toBe(true);
  });

  it.each([
    [0, 'session_idle_timeout_minutes'],
    [1.5, 'session_max_age_days'],
    [366, 'session_max_age_days'],
  ])('cannot last %d of %s', async (value, key) => {
    await expect(settings.set(app.ctx, { key, value })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('that ended between page and form does nothing, and leads back to the page', async () => {
    await signIn();
    const { text } = await browser.open('/admin/');
    app.clock.advance(2 * HOUR);
    const { result, changes } = await app.changesBy(() =>
      browser.post('/admin/logout', { _csrf: tokenIn(text) }),
    );
    expect(result.status).toBe(403);
    expect(changes).toEqual(nothing);
    expect((await browser.open('/admin/')).headers.location).toBe(toSignIn);
    expect((await signIn()).status).toBe(303);
    expect(await isIn()).toBe(true);
  });
});

describe('the id', () => {
  it('is a new one after the sign-in: who planted the old one is nobody', async () => {
    await browser.open('/admin/login');
    const planted = browser.session() as string;
    await signIn();
    expect(browser.session()).not.toBe(planted);
    expect(await isIn(browserWith(planted))).toBe(false);
  });

  it('is a new one after the sign-out, and the old one opens nothing and comes back with nothing', async () => {
    await signIn();
    const old = browser.session() as string;
    await browser.submit('/admin/logout');
    const replayed = browserWith(old);
    const { result, changes } = await app.changesBy(() => isIn(replayed));
    expect([result, changes]).toEqual([false, nothing]);
    await replayed.open('/admin/login');
    expect(replayed.session()).not.toBe(old);
    expect(await rows()).toEqual([]);
  });

  it('is another one for each of eight who sign in at once with the same cookie', async () => {
    const { text } = await browser.open('/admin/login');
    const others = Array.from({ length: 8 }, () => browserWith(browser.session() as string));
    const replies = await Promise.all(
      others.map((one) => one.post('/admin/login', { ...right, _csrf: tokenIn(text) })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 303));
    expect(new Set(others.map((one) => one.session())).size).toBe(8);
    expect(await rows()).toHaveLength(8);
    expect(await Promise.all(others.map((one) => isIn(one)))).not.toContain(false);
    await others[0]?.submit('/admin/logout');
    expect(await Promise.all(others.map((one) => isIn(one)))).toEqual([false, ...Array(7).fill(true)]);
  });
});

describe('a cookie', () => {
  /** Texts made of the cookie of somebody who signed in. */
  const forgeries: [string, (own: string) => string][] = [
    ['that was cut', (own) => own.slice(0, -5)],
    ['without its signature', (own) => own.slice(0, own.lastIndexOf('.'))],
    ['without its mark', (own) => own.replace('s%3A', '')],
    ['with another letter in its signature', (own) => own.slice(0, -1) + (own.endsWith('A') ? 'B' : 'A')],
    ['with another kind', (own) => own.replace('s%3Au', 's%3Ag')],
    ['with a later second', (own) => own.replace(/^(s%3Au\.)./, '$1z')],
    ['of nothing', () => ''],
    ['of a megabyte less than none', () => 'x'.repeat(8000)],
    ['that does not decode', () => '%E0%A4%A'],
    ['that is JSON', () => 'j%3A%7B%22adminUserId%22%3A1%7D'],
  ];

  it.each(forgeries)(
    '%s opens nothing, stores nothing, and its browser can sign in',
    async (_what, forge) => {
      await signIn();
      const forged = browserWith(forge(browser.session() as string));
      const { result, changes } = await app.changesBy(() => forged.open('/admin/'));
      expect([result.status, result.headers.location, changes]).toEqual([303, toSignIn, nothing]);
      expect((await signIn(forged)).status).toBe(303);
      expect(await isIn(forged)).toBe(true);
    },
  );

  it('of another installation opens nothing', async () => {
    const other = await startApp();
    try {
      await createOwner(other.ctx, { ...right, name: 'Ops' });
      const abroad = openBrowser(other.send);
      await signIn(abroad);
      expect(await isIn(abroad)).toBe(true);
      const foreign = browserWith(abroad.session() as string);
      const { result, changes } = await app.changesBy(() => isIn(foreign));
      expect([result, changes]).toEqual([false, nothing]);
    } finally {
      await other.close();
    }
  });

  it('sent ten times counts once: the first one', async () => {
    await signIn();
    const own = `cart_session=${browser.session()}`;
    const nine = Array.from({ length: 9 }, (_, at) => `cart_session=s%3Au.${at}`);
    const statusOf = async (all: string[]) =>
      (await app.send('/admin/', { headers: { Cookie: all.join('; ') } })).status;
    expect(await statusOf([own, ...nine])).toBe(200);
    expect(await statusOf([...nine, own])).toBe(303);
  });

  it('beside an Authorization header is not read', async () => {
    await signIn();
    const headers = { Authorization: 'Bearer garbage' };
    const { status, headers: answered } = await browser.open('/admin/', headers);
    expect([status, answered.location]).toEqual([401, undefined]);
    const { result, changes } = await app.changesBy(() => browser.submit('/admin/logout', {}, headers));
    expect(result.status).toBe(401);
    expect(result.text).toContain('This page does not accept an Authorization header.');
    expect(changes).toEqual(nothing);
    expect(await isIn()).toBe(true);
  });

  it('opens the API of staff, and no other', async () => {
    await signIn();
    const of = async (path: string) => (await browser.open(path)).status;
    expect([await of('/api/v1/admin/webhooks'), await of('/api/v1/license/by-order/x')]).toEqual([200, 401]);
  });
});

describe('a guest', () => {
  it('may send a form seven days after its page, and not later', async () => {
    const { text } = await browser.open('/admin/login');
    const early = browserWith(browser.session() as string);
    app.clock.advance(7 * DAY - 1);
    expect((await early.post('/admin/login', { ...right, _csrf: tokenIn(text) })).status).toBe(303);
    app.clock.advance(1);
    const { result, changes } = await app.changesBy(() =>
      browser.post('/admin/login', { ...right, _csrf: tokenIn(text) }),
    );
    expect(result.status).toBe(403);
    expect(changes).toEqual(nothing);
  });

  it('a thousand page views write nothing', async () => {
    const { changes } = await app.changesBy(async () => {
      for (let n = 0; n < 1000; n++) await app.send(n % 2 === 0 ? '/admin/login' : '/');
    });
    expect(changes).toEqual(nothing);
  });
});

it('purge-sessions removes what has ended, and nothing else', async () => {
  await signIn();
  await signIn(openBrowser(app.send));
  app.clock.advance(HOUR);
  await signIn(openBrowser(app.send));
  const purge = () => sessions.jobs?.[0]?.run(app.ctx);
  expect(await purge()).toEqual({ sessions: 0 });
  app.clock.advance(HOUR);
  expect(await purge()).toEqual({ sessions: 2 });
  expect(await rows()).toHaveLength(1);
  await createOwner(app.ctx, { ...right, name: 'Ops', replace: true });
  expect(await purge()).toEqual({ sessions: 1 });
});
