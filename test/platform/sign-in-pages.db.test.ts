// Signing in and out with a browser, without JavaScript: pages, forms, cookies, and what attackers send instead (M15,
// M16; A045, A049, A155, A157, A159).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOwner } from '#platform/accounts/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, openBrowser, tokenIn } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';

const email = 'ops@x.test';
const password = 'correct horse';
const right = { email, password };
const ONE_SESSION = { admin_users: '~1', sessions: '+1' };

let app: TestApp;
let ownerId: string;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ownerId = (await createOwner(app.ctx, { ...right, name: 'Ops' })).id;
});
afterAll(() => app.close());
beforeEach(() => {
  browser = openBrowser(app.send);
});

const change = (columns: object) =>
  app.instance.database.transaction(async ({ knex }) => {
    await knex('admin_users').where({ id: ownerId }).update(columns);
  });
const signIn = () => browser.submit('/admin/login', right);
/** Where a page that needs a sign-in leads: null when it is shown. */
const ledTo = async (with_: Browser = browser) => (await with_.open('/admin/')).headers.location ?? null;
const toSignIn = '/admin/login?next=%2Fadmin%2F';

describe.each(['/admin', '/store'])('%s', (area) => {
  it('leads to the sign-in page, in, to the first page, and out again', async () => {
    app.clock.advance(1);
    const { result, changes } = await app.changesBy(() => browser.submit(`${area}/login`, right));
    expect([result.status, result.headers.location]).toEqual([303, '/admin/']);
    expect(changes).toEqual({ events: ['SIGNED_IN'], rows: ONE_SESSION });
    const { status, text } = await browser.open('/admin/');
    expect(status).toBe(200);
    expect(text).toContain('<h1>Home</h1>');
    expect(text).toContain(email);
    const out = await app.changesBy(() => browser.submit(`${area}/logout`));
    expect([out.result.status, out.result.headers.location]).toEqual([303, `${area}/login`]);
    expect(out.changes).toEqual({ events: ['SIGNED_OUT'], rows: { sessions: '-1' } });
    expect(await ledTo()).toBe(toSignIn);
  });
});

it('who is signed in already is led on; the start page leads to the panel', async () => {
  expect((await browser.open('/')).text).toContain('href="/admin/login"');
  await signIn();
  expect((await browser.open('/admin/login?next=%2Fx')).headers.location).toBe('/x');
  expect((await browser.open('/admin')).headers.location).toBe('/admin/');
  expect((await browser.open('/')).text).toContain('href="/admin/"');
});

it('the audit log names the account, and only those whom it concerns', async () => {
  await signIn();
  await browser.submit('/admin/logout');
  const rows = await app.instance.database.db
    .knex('audit_log')
    .where({ target_id: ownerId })
    .whereIn('action', ['SIGNED_IN', 'SIGNED_OUT'])
    .orderBy('seq', 'desc')
    .limit(2);
  expect(rows.map((row) => [row.actor_kind, row.actor_id, row.actor_label])).toEqual([
    ['staff', ownerId, email],
    ['staff', ownerId, email],
  ]);
});

describe('a page view', () => {
  it.each(['/', '/admin', '/admin/', '/admin/login', '/store/login', '/admin/logout', '/nowhere'])(
    'of %s without a cookie writes nothing',
    async (path) => {
      const { changes } = await app.changesBy(() => browser.open(path));
      expect(changes).toEqual(nothing);
    },
  );

  it('without a form sets no cookie; with one it does, once, and the form is taken', async () => {
    for (const path of ['/', '/admin/', '/nowhere']) await browser.open(path);
    expect(browser.session()).toBeUndefined();
    const { headers } = await browser.open('/admin/login');
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^cart_session=s%3Ag\.[^;]+; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect((await browser.open('/admin/login')).headers['set-cookie']).toBeUndefined();
    expect((await signIn()).status).toBe(303);
  });

  it('of staff is kept by nobody, and names its token for scripts', async () => {
    await signIn();
    const { headers, text } = await browser.open('/admin/');
    expect(headers['cache-control']).toBe('no-store');
    expect(text).toMatch(/<meta name="csrf-token" content="[\w-]{86}">/);
  });
});

describe('a form', () => {
  const tokens: [string, (own: string) => Promise<Record<string, string>>][] = [
    ['no token', async () => ({})],
    ['an empty token', async () => ({ _csrf: '' })],
    ['the token of another visitor', async () => ({ _csrf: await tokenOfAnother() })],
    ['a token that was cut', async (own) => ({ _csrf: own.slice(0, 40) })],
    ['a token with more behind it', async (own) => ({ _csrf: `${own}x` })],
  ];
  const tokenOfAnother = async () => tokenIn((await openBrowser(app.send).open('/admin/login')).text);
  const ownToken = async () => tokenIn((await browser.open('/admin/login')).text);

  it.each(tokens)('with %s is refused and does nothing', async (_what, fields) => {
    const sent = await fields(await ownToken());
    const { result, changes } = await app.changesBy(() =>
      browser.post('/admin/login', { ...right, ...sent }),
    );
    expect(result.status).toBe(403);
    expect(result.text).toContain('Nothing was changed. Reload the page');
    expect(result.text).not.toContain(email);
    expect(changes).toEqual(nothing);
    expect(await ledTo()).toBe(toSignIn);
  });

  it('without a cookie is refused, whatever its token', async () => {
    const _csrf = await ownToken();
    const { status } = await openBrowser(app.send).post('/admin/login', { ...right, _csrf });
    expect(status).toBe(403);
  });

  it('with the token in its address only is refused', async () => {
    const { status } = await browser.post(`/admin/login?_csrf=${await ownToken()}`, right);
    expect(status).toBe(403);
  });

  it('with the token from before the sign-in is refused after it', async () => {
    const _csrf = await ownToken();
    await signIn();
    const { result, changes } = await app.changesBy(() => browser.post('/admin/logout', { _csrf }));
    expect(result.status).toBe(403);
    expect(changes).toEqual(nothing);
    expect(await ledTo()).toBeNull();
  });

  it('takes the token from the header as well', async () => {
    const { status } = await browser.post('/admin/login', right, { 'X-CSRF-Token': await ownToken() });
    expect(status).toBe(303);
  });

  it.each([
    [{ 'Sec-Fetch-Site': 'cross-site' }],
    [{ 'Sec-Fetch-Site': 'same-site' }],
    [{ Origin: 'https://evil.test' }],
    [{ Origin: 'null' }],
  ])('that a browser says comes from elsewhere is refused: %j', async (headers) => {
    const { result, changes } = await app.changesBy(() =>
      browser.submit('/admin/login', right, headers as Record<string, string>),
    );
    expect(result.status).toBe(403);
    expect(changes).toEqual(nothing);
  });

  it('that a browser says comes from here is taken', async () => {
    const headers = { 'Sec-Fetch-Site': 'same-origin', Origin: app.url };
    expect((await browser.submit('/admin/login', right, headers)).status).toBe(303);
  });

  it('of a program that asks for JSON is refused in JSON', async () => {
    const { status, body } = await browser.post('/admin/login', right, { Accept: 'application/json' });
    expect([status, body.error?.code]).toEqual([403, 'AUTH_FORBIDDEN']);
  });
});

describe('wrong credentials', () => {
  const failed = async (fields: Record<string, string>) => {
    const { status, text } = await openBrowser(app.send).submit('/admin/login', fields);
    return { status, text: text.replaceAll(/value="[\w-]{86}"/g, '').replaceAll(/value="[^"]*@[^"]*"/g, '') };
  };

  it('look the same for a known and an unknown address, and keep the address but not the password', async () => {
    const known = await failed({ email, password: 'wrong horse' });
    expect(known).toEqual(await failed({ email: 'nobody@x.test', password: 'wrong horse' }));
    expect(known.status).toBe(400);
    expect(known.text).toContain('The email address or the password is wrong.');
    const { text } = await browser.submit('/admin/login', { email: 'a"b@x.test', password: 'secret horse' });
    expect(text).toContain('value="a&#34;b@x.test"');
    expect(text).not.toContain('secret horse');
  });

  it('nothing filled in names both fields', async () => {
    const { status, text } = await browser.submit('/admin/login', { email: '', password: '' });
    expect(status).toBe(400);
    expect(text).toContain('href="#field-email"');
    expect(text).toContain('href="#field-password"');
    expect(text).toContain('aria-invalid="true"');
  });
});

describe('the way back', () => {
  it.each(['/admin/', '/', '/admin/?a=b%20c#d', '/api/docs'])('leads to %s', async (next) => {
    const { headers } = await browser.submit(`/admin/login?next=${encodeURIComponent(next)}`, right);
    expect(headers.location).toBe(next);
  });

  it.each([
    '//evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    'https:evil.test',
    'https://evil.test/',
    'javascript:1',
    '/%09/evil.test',
    '/\t/evil.test',
    '/%2F/evil.test',
    '/%5Cevil.test',
    '/a\r\nSet-Cookie: a=b',
    'admin/',
    '',
  ])('%j leads to the first page', async (next) => {
    const { headers } = await browser.submit(`/admin/login?next=${encodeURIComponent(next)}`, right);
    expect(headers.location).toBe('/admin/');
  });
});

it('signing out needs the form: to look at its page changes nothing', async () => {
  await signIn();
  const { result, changes } = await app.changesBy(() => browser.open('/admin/logout'));
  expect(result.text).toContain('<button type="submit">Sign out</button>');
  expect(changes).toEqual(nothing);
  expect(await ledTo()).toBeNull();
});

it('eighty people who sign in at once are all answered, and some told when to come again', async () => {
  const replies = await Promise.all(
    Array.from({ length: 80 }, () =>
      openBrowser(app.send).submit('/admin/login', { email: 'nobody@x.test', password: 'wrong' }),
    ),
  );
  const busy = replies.filter(({ status }) => status === 429);
  expect(busy.length).toBeGreaterThan(0);
  for (const { headers, text } of busy) {
    expect(headers['retry-after']).toBe('2');
    expect(text).toContain('Too many people are signing in right now');
  }
  expect(replies.filter(({ status }) => ![400, 429].includes(status))).toEqual([]);
});

describe('an account', () => {
  it.each([
    ['is disabled', { status: 'disabled' }, { status: 'active' }],
    ['has another password', { session_generation: 5 }, { session_generation: 0 }],
  ])('that %s is out at the next request', async (_what, columns, back) => {
    await signIn();
    await change(columns);
    expect(await ledTo()).toBe(toSignIn);
    await change(back);
  });

  it('whose role is gone sees that it may not', async () => {
    await signIn();
    const { knex } = app.instance.database.db;
    const roles = await knex('admin_user_roles').where({ admin_user_id: ownerId });
    await app.instance.database.transaction(async (db) => {
      await db.knex('admin_user_roles').where({ admin_user_id: ownerId }).delete();
    });
    const { status, text } = await browser.open('/admin/');
    expect(status).toBe(403);
    expect(text).toContain('Your account lacks the permission licensing:read.');
    await app.instance.database.transaction(async (db) => {
      await db.knex('admin_user_roles').insert(roles);
    });
    expect(await ledTo()).toBeNull();
  });
});
