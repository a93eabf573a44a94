// The session of the panel at the door of the JSON API: what opens it, what a write needs beside it, and what strangers
// and old cookies get (Z1, M15, M16; A049, A051, A155).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOwner } from '#platform/accounts/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, openBrowser, tokenIn } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';
import type { HttpReply, Sent } from '../support/http-client.ts';
import { LOOPBACK_PINS } from '../support/webhooks.ts';

const right = { email: 'ops@x.test', password: 'correct horse' };
const webhook = { url: 'https://203.0.114.7/hook' };

let app: TestApp;
let ownerId: string;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  ownerId = (await createOwner(app.ctx, { ...right, name: 'Ops' })).id;
});
afterAll(() => app.close());

/** A browser that signed in, with the token that its pages carry. */
interface SignedIn {
  readonly browser: Browser;
  readonly token: string;
}

async function signIn(): Promise<SignedIn> {
  const browser = openBrowser(app.send);
  await browser.submit('/admin/login', right);
  return { browser, token: tokenIn((await browser.open('/admin/logout')).text) };
}

let own: SignedIn;
beforeEach(async () => {
  own = await signIn();
});

/** Sends what a script of the panel would; `token` is what it presents. */
const ask = (path: string, sent: Sent = {}, token: string | null = own.token, from = own) =>
  app.admin(path, null, {
    ...sent,
    headers: {
      Cookie: `cart_session=${from.browser.session()}`,
      ...(token !== null && { 'X-CSRF-Token': token }),
      ...sent.headers,
    },
  });
const post = (headers: Record<string, string> = {}, token: string | null = own.token) =>
  ask('/webhooks', { body: webhook, headers }, token);
const said = ({ status, body }: HttpReply) => [status, body.error?.code, body.error?.details?.reason];
const change = (table: string, where: object, columns: object) =>
  app.instance.database.transaction(async ({ knex }) => {
    await knex(table).where(where).update(columns);
  });

it('a session reads without a token, and writes with its own; the change is by its person', async () => {
  expect((await ask('/webhooks', {}, null)).status).toBe(200);
  const { status, body } = await post();
  expect(status).toBe(201);
  const told = app.instance.database.db.knex('audit_log').where({ target_id: String(body.webhook?.id) });
  const [row] = await told;
  expect([row.actor_kind, row.actor_id, row.actor_label]).toEqual(['staff', ownerId, right.email]);
  expect((await ask('/webhooks', { headers: { 'X-Tenant': 'default' } })).status).toBe(200);
  expect(said(await ask('/webhooks', { headers: { 'X-Tenant': 'nope' } }))).toEqual([
    404,
    'NOT_FOUND',
    undefined,
  ]);
});

describe('a write is refused and changes nothing', () => {
  const refused = [403, 'CSRF_FAILED', undefined];

  it('without a token, with a wrong one, and with one of another session', async () => {
    const other = await signIn();
    const guest = tokenIn((await openBrowser(app.send).open('/admin/login')).text);
    const { result, changes } = await app.changesBy(async () => [
      await post({}, null),
      await post({}, ''),
      await post({}, 'A'.repeat(86)),
      await post({}, `${own.token.slice(0, -1)}${own.token.endsWith('A') ? 'Q' : 'A'}`),
      await post({}, other.token),
      await post({}, guest),
      await ask('/webhooks', { body: { ...webhook, _csrf: own.token } }, null),
      await ask(`/webhooks?_csrf=${own.token}`, { body: webhook }, null),
    ]);
    expect(result.map(said)).toEqual(result.map(() => refused));
    expect(changes).toEqual(nothing);
  });

  it('from the page of another site, whatever its token', async () => {
    const { result, changes } = await app.changesBy(async () => [
      await post({ Origin: 'https://evil.test' }),
      await post({ Origin: 'null' }),
      await post({ 'Sec-Fetch-Site': 'cross-site' }),
      await post({ 'Sec-Fetch-Site': 'same-site' }),
      await post({ Origin: 'https://evil.test', Host: 'evil.test.x' }),
    ]);
    expect(result.map(said)).toEqual(result.map(() => refused));
    expect(changes).toEqual(nothing);
  });
});

it('its own pages may send it: token, Origin and Sec-Fetch-Site agree', async () => {
  expect((await post({ Origin: app.url, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(201);
});

describe('what makes or shows a secret', () => {
  const refused = [403, 'INSUFFICIENT_SCOPE', 'SUDO_REQUIRED'];

  it('asks for the password again after ten minutes, and for nothing else', async () => {
    app.clock.advance(599);
    expect((await post()).status).toBe(201);
    app.clock.advance(1);
    const { result, changes } = await app.changesBy(() => post());
    expect(said(result)).toEqual(refused);
    expect([changes.events, changes.rows.webhooks]).toEqual([[], undefined]);
    const { id } = ((await ask('/webhooks')).body.items as unknown as { id: string }[])[0] ?? { id: '' };
    expect((await ask(`/webhooks/${id}`, { method: 'PATCH', body: { name: 'x' } })).status).toBe(200);
  });

  it('asks a token of a program for none', async () => {
    const { secret } = await app.adminToken('owner');
    app.clock.advance(3600);
    expect((await post({ Authorization: `Bearer ${secret}` }, null)).status).toBe(201);
  });
});

describe('an Authorization header decides alone', () => {
  it.each(['Bearer garbage', 'Bearer', 'Basic b3BzOng=', ''])(
    '%j beside a valid session is 401',
    async (value) => {
      const headers = { Authorization: value };
      const { result, changes } = await app.changesBy(async () => [
        await ask('/webhooks', { headers }),
        await ask('/webhooks', { headers }, null),
        await post(headers),
        await post(headers, null),
      ]);
      for (const { status, body, headers } of result)
        expect([status, body.error?.code, headers['www-authenticate']]).toEqual([
          401,
          'UNAUTHORIZED',
          'Bearer',
        ]);
      expect(changes).toEqual(nothing);
    },
  );

  it('a token beside a session acts for itself, and needs no CSRF token', async () => {
    const viewer = await app.adminToken('viewer');
    const owner = await app.adminToken('owner');
    const by = ({ secret }: { secret: string }) => ({ Authorization: `Bearer ${secret}` });
    expect(said(await post(by(viewer)))).toEqual([403, 'INSUFFICIENT_SCOPE', undefined]);
    expect((await post(by(owner), null)).status).toBe(201);
  });

  it('a page answers 401 too, and leads nowhere', async () => {
    const headers = { Authorization: 'Bearer garbage' };
    const replies = [
      await own.browser.open('/admin/', headers),
      await own.browser.post('/admin/logout', { _csrf: own.token }, headers),
    ];
    for (const { status, headers } of replies) expect([status, headers.location]).toEqual([401, undefined]);
    expect((await own.browser.open('/admin/')).status).toBe(200);
  });
});

it('a request with every fault loses one after the other in the documented order', async () => {
  const broken = { body: '{', headers: { 'Content-Type': 'application/json' } };
  const unknown = `/webhooks/whk_${'0'.repeat(26)}`;
  const method = 'PATCH';
  expect(said(await app.admin(unknown, null, { ...broken, method }))).toEqual([
    401,
    'UNAUTHORIZED',
    undefined,
  ]);
  const give = (name: string) =>
    app.instance.database.transaction(async ({ knex }) => {
      const { id } = await knex('roles').where({ name }).first('id');
      await knex('admin_user_roles').where({ admin_user_id: ownerId }).update({ role_id: id });
    });
  await give('viewer');
  expect(said(await ask(unknown, { ...broken, method }, null))).toEqual([403, 'CSRF_FAILED', undefined]);
  expect(said(await ask(unknown, { ...broken, method }))).toEqual([403, 'INSUFFICIENT_SCOPE', undefined]);
  await give('owner');
  expect(said(await ask(unknown, { ...broken, method }))).toEqual([400, 'VALIDATION_ERROR', undefined]);
  expect(said(await ask(unknown, { body: { name: 'x' }, method }))).toEqual([404, 'NOT_FOUND', undefined]);
});

describe('the cookie is worth nothing', () => {
  const signedOut = [401, 'UNAUTHORIZED', undefined];
  const replayed = async (end: () => Promise<unknown>) => {
    expect((await ask('/webhooks')).status).toBe(200);
    const cookie = `cart_session=${own.browser.session()}`;
    await end();
    const { result, changes } = await app.changesBy(async () => [
      await app.admin('/webhooks', null, { headers: { Cookie: cookie } }),
      await app.admin('/webhooks', null, {
        body: webhook,
        headers: { Cookie: cookie, 'X-CSRF-Token': own.token },
      }),
    ]);
    expect(changes).toEqual(nothing);
    return result.map(said);
  };

  it('after the sign-out', async () => {
    expect(await replayed(() => own.browser.submit('/admin/logout'))).toEqual([signedOut, signedOut]);
  });

  it('after a new password', async () => {
    const replace = () => createOwner(app.ctx, { ...right, name: 'Ops', replace: true });
    expect(await replayed(replace)).toEqual([signedOut, signedOut]);
  });

  it('when the account is disabled', async () => {
    const status = (status: string) => change('admin_users', { id: ownerId }, { status });
    expect(await replayed(() => status('disabled'))).toEqual([signedOut, signedOut]);
    await status('active');
  });

  it('once it has ended by its age', async () => {
    expect(await replayed(async () => app.clock.advance(8 * 86_400))).toEqual([signedOut, signedOut]);
  });

  it('with another signature, of a guest, and of nobody', async () => {
    const guest = openBrowser(app.send);
    await guest.open('/admin/login');
    for (const cookie of [`${own.browser.session()}x`, guest.session(), 'x', ''])
      expect(
        said(await app.admin('/webhooks', null, { headers: { Cookie: `cart_session=${cookie}` } })),
      ).toEqual(signedOut);
  });

  it('while the second factor is to come', async () => {
    const pending = await replayed(() =>
      change('sessions', { admin_user_id: ownerId }, { two_factor_pending: true }),
    );
    const refused = [401, 'UNAUTHORIZED', 'TWO_FACTOR_REQUIRED'];
    expect(pending).toEqual([refused, refused]);
  });
});
