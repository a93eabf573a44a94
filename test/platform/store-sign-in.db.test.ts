// Staff at the JSON of the store: signing in and out, the own account and sessions, passwords by link and the second factor,
// with what attackers send instead (storefront-api.md, Q; Z1, Z7, Z25, S48, S54; A045, A049, A051).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import { requireAdminTwoFactor } from '#platform/sessions/index.ts';
import * as settings from '#platform/settings/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';
import type { HttpReply } from '../support/http-client.ts';
import { openStorePanel, type StorePanel } from '../support/store-panel.ts';
import { totpCode } from '../support/totp.ts';

const right = { email: 'ops@x.test', password: 'correct horse' };
const better = 'violet-engine-42-lantern';

let app: TestApp;
let ownerId: string;
let panel: StorePanel;
beforeAll(async () => {
  app = await startApp();
  ownerId = (await accounts.createOwner(app.ctx, { ...right, name: 'Ops' })).id;
});
afterAll(() => app.close());
beforeEach(async () => {
  panel = openStorePanel(app);
  await panel.signIn(right);
});

let made = 0;
/** Adds somebody with roles, who does not sign in yet. */
async function colleague(...roles: string[]) {
  made += 1;
  const email = `colleague${made}@x.test`;
  const { id } = await accounts.create(app.ctx, { email, password: right.password, roles });
  return { id, email, password: right.password };
}
async function signedIn(...roles: string[]) {
  const who = await colleague(...roles);
  const own = openStorePanel(app);
  expect((await own.signIn(who)).status).toBe(200);
  return { ...who, panel: own };
}
/** Somebody with an authenticator app. */
async function twoFactored() {
  const who = await signedIn('viewer');
  const { body } = await who.panel.post('/auth/2fa/setup', { password: who.password });
  const { secret } = body.data as unknown as { secret: string };
  const code = () => totpCode(secret, Date.parse(app.ctx.now()));
  const { body: on } = await who.panel.post('/auth/2fa/enable', { code: code() });
  const { recovery_codes } = on.data as unknown as { recovery_codes: string[] };
  app.clock.advance(30);
  return { ...who, secret, code, recovery_codes };
}
const dataOf = <T = Record<string, unknown>>({ status, body, text }: HttpReply): T => {
  expect([status, status > 201 ? text : '']).toEqual([status > 201 ? 200 : status, '']);
  return body.data as unknown as T;
};
const said = ({ status, body }: HttpReply) => [
  status,
  body.error_code,
  (body.details as { reason?: string } | undefined)?.reason,
];
const fieldsOf = ({ body }: HttpReply) =>
  ((body.details as unknown as { fields?: { field: string }[] })?.fields ?? []).map(({ field }) => field);
const csrf = [403, 'AUTH_FORBIDDEN', 'CSRF'];
const unauthorized = (reason?: string) => [401, 'AUTH_UNAUTHORIZED', reason];
const require2fa = (value: boolean) => settings.set(app.ctx, { key: requireAdminTwoFactor.key, value });
const withCookie = (cookie: string | undefined, path = '/auth/me') =>
  app.send(`/api/store${path}`, { headers: { Cookie: `cart_session=${cookie}` } });

describe('signing in', () => {
  it('begins a session under a new id, which the pages of the panel know too', async () => {
    const own = openStorePanel(app);
    await own.signIn({ ...right, password: 'wrong' });
    const planted = own.session();
    app.clock.advance(1);
    const { result, changes } = await app.changesBy(() => own.post('/auth/login', right));
    expect(dataOf(result)).toEqual({
      admin: expect.objectContaining({ id: ownerId, email: right.email, roles: ['owner'] }),
      csrf_token: expect.any(String),
      owes: null,
    });
    expect(result.text).not.toMatch(/password_?hash|argon2/i);
    expect(changes.events).toEqual(['SIGNED_IN']);
    expect(own.session()).not.toBe(planted);
    expect(said(await withCookie(planted))).toEqual(unauthorized());
    expect(dataOf(await own.ask('/auth/me')).id).toBe(ownerId);
    const page = await app.send('/admin/profile', { headers: { Cookie: `cart_session=${own.session()}` } });
    expect(page.status).toBe(200);
    const admin = await app.admin('/me', null, { headers: { Cookie: `cart_session=${own.session()}` } });
    expect(admin.status).toBe(200);
  });

  it('has one answer for every account and password that does not fit', async () => {
    const off = await colleague();
    await accounts.disable(app.ctx, off.id);
    const { user: invited } = await accounts.invite(app.ctx, { email: 'invited@x.test' });
    const replies: HttpReply[] = [];
    for (const given of [
      { ...right, password: 'wrong' },
      { ...right, email: 'nobody@x.test' },
      off,
      { email: invited.email, password: right.password },
      { ...right, password: 'x'.repeat(1000) },
      { ...right, email: "' OR 1=1 --" },
    ])
      replies.push(await openStorePanel(app).signIn(given));
    for (const { status, body, headers } of replies) {
      expect([status, body]).toEqual([401, replies[0]?.body]);
      expect(headers['set-cookie']).toBeUndefined();
    }
    expect(said(replies[0] as HttpReply)).toEqual(unauthorized('WRONG_PASSWORD'));
    await accounts.unlock(app.ctx, ownerId);
  });

  it('needs the token of the browser, also without a cookie, and no page of another site', async () => {
    const { result, changes } = await app.changesBy(async () => [
      await app.send('/api/store/auth/login', { body: right }),
      await app.send('/api/store/auth/login/2fa', { body: { challenge_id: 'x', code: '1' } }),
      await openStorePanel(app).post('/auth/login', right, { 'X-CSRF-Token': panel.token() ?? '' }),
      await panel.post('/auth/login', right, { Origin: 'https://evil.test' }),
      await panel.post('/auth/login', right, { 'Sec-Fetch-Site': 'cross-site' }),
    ]);
    expect(result.map(said)).toEqual(result.map(() => csrf));
    expect(changes).toEqual(nothing);
    const bearer = await panel.post('/auth/login', right, { Authorization: 'Bearer x' });
    expect(said(bearer)).toEqual(unauthorized());
  });

  it.each([
    [{}, 'VALIDATION_MISSING_FIELD', ['email', 'password']],
    [{ email: right.email }, 'VALIDATION_MISSING_FIELD', ['password']],
    [{ ...right, password: 7 }, 'VALIDATION_ERROR', ['password']],
    [{ ...right, password: 'x'.repeat(1001) }, 'VALIDATION_ERROR', ['password']],
  ])('%j is not understood', async (given, code, fields) => {
    const reply = await panel.post('/auth/login', given);
    expect([reply.status, reply.body.error_code, fieldsOf(reply)]).toEqual([400, code, fields]);
  });

  it('is locked after ten wrong passwords, for the right one and on the page as well', async () => {
    const who = await colleague('viewer');
    const own = openStorePanel(app);
    for (let n = 0; n < 10; n++) {
      await own.signIn({ ...who, password: 'wrong' });
      // The failure is counted after its answer.
      for (let wait = 0; wait < 50 && (await failuresOf(who.id)) === n; wait++)
        await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(said(await own.signIn(who))).toEqual(unauthorized('WRONG_PASSWORD'));
    expect((await openBrowser(app.send).submit('/store/login', who)).status).toBe(400);
    app.clock.advance(15 * 60 + 1);
    expect((await own.signIn(who)).status).toBe(200);
  });

  it('as somebody else ends the session before it; the other one is not told of it', async () => {
    const who = await colleague('viewer');
    const before = panel.session();
    expect(dataOf<{ admin: { id: string } }>(await panel.signIn(who)).admin.id).toBe(who.id);
    expect(said(await withCookie(before))).toEqual(unauthorized());
  });
});

/** A lock begins the count anew. */
async function failuresOf(id: string): Promise<number> {
  const [row] = await app.instance.database.db.knex('admin_users').where({ id });
  return row.locked_until === null ? Number(row.failed_sign_ins) : 10;
}

describe('the second factor', () => {
  it('is the second step: until then the session opens nothing', async () => {
    const who = await twoFactored();
    const own = openStorePanel(app);
    const first = dataOf(await own.signIn(who));
    expect(first).toEqual({
      two_factor_required: true,
      challenge_id: expect.any(String),
      csrf_token: expect.any(String),
    });
    expect(said(await own.ask('/auth/me'))).toEqual(unauthorized('TWO_FACTOR_REQUIRED'));
    const pending = own.session();
    const done = await own.post('/auth/login/2fa', { challenge_id: first.challenge_id, code: who.code() });
    expect(dataOf<{ admin: { id: string } }>(done).admin.id).toBe(who.id);
    expect(own.session()).not.toBe(pending);
    expect(said(await withCookie(pending))).toEqual(unauthorized());
    // The step is used up.
    const again = await own.post('/auth/login/2fa', { challenge_id: first.challenge_id, code: who.code() });
    expect(said(again)).toEqual([400, 'VALIDATION_ERROR', 'TOKEN_INVALID']);
  });

  it('takes no wrong code, none twice, and no challenge of another session', async () => {
    const who = await twoFactored();
    const code = who.code();
    const step = async (given: object, own = openStorePanel(app)) => {
      const { challenge_id } = dataOf(await own.signIn(who));
      return own.post('/auth/login/2fa', { challenge_id, ...given });
    };
    expect((await step({ code })).status).toBe(200);
    expect(said(await step({ code }))).toEqual(unauthorized('TWO_FACTOR_WRONG'));
    expect(said(await step({ code: '000000' }))).toEqual(unauthorized('TWO_FACTOR_WRONG'));
    const recovery_code = who.recovery_codes[0];
    expect((await step({ recovery_code })).status).toBe(200);
    expect(said(await step({ recovery_code }))).toEqual(unauthorized('TWO_FACTOR_WRONG'));
    const { challenge_id } = dataOf(await openStorePanel(app).signIn(who));
    app.clock.advance(30);
    const foreign = await step({ challenge_id, code: who.code() });
    expect(said(foreign)).toEqual([400, 'VALIDATION_ERROR', 'TOKEN_INVALID']);
    expect(said(await step({}))).toEqual([400, 'VALIDATION_MISSING_FIELD', undefined]);
    expect(fieldsOf(await step({ code: '1', recovery_code: '2' }))).toEqual(['recovery_code']);
  });

  it('locks the account with its failures', async () => {
    const who = await twoFactored();
    const own = openStorePanel(app);
    for (let n = 0; n < 10; n++) {
      const { challenge_id } = dataOf(await own.signIn(who));
      await own.post('/auth/login/2fa', { challenge_id, code: '000000' });
    }
    expect(said(await own.signIn(who))).toEqual(unauthorized('WRONG_PASSWORD'));
  });

  it('is set up with the password, confirmed with a code, and has a picture', async () => {
    const who = await signedIn('viewer');
    const wrong = await who.panel.post('/auth/2fa/setup', { password: 'wrong' });
    expect([wrong.status, fieldsOf(wrong)]).toEqual([400, ['password']]);
    const begun = dataOf(await who.panel.post('/auth/2fa/setup', { password: who.password }));
    expect(begun).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]+$/),
      otpauth_url: expect.stringMatching(/^otpauth:\/\/totp\//),
      qr_svg: expect.stringMatching(/<svg/),
    });
    expect(fieldsOf(await who.panel.post('/auth/2fa/enable', { code: '000000' }))).toEqual(['code']);
    const code = totpCode(String(begun.secret), Date.parse(app.ctx.now()));
    const { recovery_codes } = dataOf<{ recovery_codes: string[] }>(
      await who.panel.post('/auth/2fa/enable', { code }),
    );
    expect(new Set(recovery_codes).size).toBe(10);
    expect(dataOf(await who.panel.ask('/auth/me'))).toMatchObject({ two_factor_enabled: true });
    const twice = await who.panel.post('/auth/2fa/setup', { password: who.password });
    expect(said(twice)).toEqual([400, 'VALIDATION_ERROR', 'INVALID_TRANSITION']);
  });

  it('is switched off with password and code, unless everybody must have one', async () => {
    const who = await twoFactored();
    const off = (given: object) => who.panel.post('/auth/2fa/disable', given);
    expect(fieldsOf(await off({ password: who.password, code: '000000' }))).toEqual(['code']);
    expect(fieldsOf(await off({ password: 'wrong', code: who.code() }))).toEqual(['password']);
    await require2fa(true);
    const required = await off({ password: who.password, code: who.code() });
    await require2fa(false);
    expect(said(required)).toEqual([400, 'VALIDATION_ERROR', 'INVALID_TRANSITION']);
    // The code was not used up by what was refused.
    expect(dataOf(await off({ password: who.password, code: who.code() }))).toEqual({ enabled: false });
    expect((await openStorePanel(app).signIn(who)).status).toBe(200);
  });

  it('has new recovery codes with the password; the old ones end', async () => {
    const who = await twoFactored();
    expect(fieldsOf(await who.panel.post('/auth/2fa/recovery-codes', { password: 'x' }))).toEqual([
      'password',
    ]);
    const { recovery_codes } = dataOf<{ recovery_codes: string[] }>(
      await who.panel.post('/auth/2fa/recovery-codes', { password: who.password }),
    );
    expect(recovery_codes.filter((code) => who.recovery_codes.includes(code))).toEqual([]);
    const own = openStorePanel(app);
    const { challenge_id } = dataOf(await own.signIn(who));
    const old = await own.post('/auth/login/2fa', { challenge_id, recovery_code: who.recovery_codes[0] });
    expect(said(old)).toEqual(unauthorized('TWO_FACTOR_WRONG'));
  });

  it('is asked for before anything else where everybody must have one', async () => {
    const who = await signedIn('manager');
    await require2fa(true);
    try {
      expect(dataOf(await who.panel.ask('/auth/me'))).toMatchObject({
        owes: 'SECOND_FACTOR',
        permissions: [],
      });
      const kept = await who.panel.ask('/products');
      expect(said(kept)).toEqual([403, 'AUTH_FORBIDDEN', 'TWO_FACTOR_ENROLMENT_REQUIRED']);
      expect((await who.panel.post('/auth/2fa/setup', { password: who.password })).status).toBe(200);
    } finally {
      await require2fa(false);
    }
  });
});

describe('the own account', () => {
  it('is shown with what it opens, and changed by its name and time zone', async () => {
    const who = await signedIn('support');
    const me = dataOf<{ permissions: string[]; roles: string[] }>(await who.panel.ask('/auth/me'));
    expect(me.roles).toEqual(['support']);
    expect(me.permissions).toContain('licensing:write');
    const change = (body: object) => who.panel.ask('/auth/me', { method: 'PATCH', body });
    expect(dataOf(await change({ name: 'Ann', timezone: 'Europe/Berlin' }))).toMatchObject({
      name: 'Ann',
      timezone: 'Europe/Berlin',
    });
    expect(dataOf(await change({ timezone: null }))).toMatchObject({ name: 'Ann', timezone: null });
    const { result, changes } = await app.changesBy(async () => [
      await change({ timezone: 'Mars/Olympus' }),
      await change({ timezone: '' }),
      await change({ name: ' ' }),
    ]);
    expect(result.map((one) => [one.status, fieldsOf(one)])).toEqual([
      [400, ['timezone']],
      [400, ['timezone']],
      [400, ['name']],
    ]);
    expect(changes).toEqual(nothing);
    // Roles and address are changed by others.
    await change({ role_ids: [], email: 'other@x.test', permissions: ['users:write'] });
    expect(dataOf(await who.panel.ask('/auth/me'))).toMatchObject({ email: who.email, roles: ['support'] });
  });

  it('is that of whoever may not work for the shop, too', async () => {
    const { id: productId } = await app.product();
    const who = await colleague('licensing');
    await accounts.setScopes(app.ctx, who.id, { license_product: [productId] });
    const own = openStorePanel(app);
    expect((await own.signIn(who)).status).toBe(200);
    expect(dataOf(await own.ask('/auth/me'))).toMatchObject({ id: who.id });
    expect(said(await own.ask('/products'))).toEqual([403, 'AUTH_FORBIDDEN', undefined]);
    expect(dataOf(await own.post('/auth/logout'))).toEqual({ logged_out: true });
  });

  it('is that of a vendor to whom nothing belongs yet, too', async () => {
    const who = await colleague('vendor');
    const own = openStorePanel(app);
    expect((await own.signIn(who)).status).toBe(200);
    expect(dataOf(await own.ask('/auth/me'))).toMatchObject({ id: who.id, roles: ['vendor'] });
    expect(dataOf(await own.ask('/auth/me', { method: 'PATCH', body: { name: 'Vera' } }))).toMatchObject({
      name: 'Vera',
    });
    expect(said(await own.ask('/users'))).toEqual([403, 'AUTH_FORBIDDEN', undefined]);
  });

  it('gets another password, which ends every other session', async () => {
    const who = await signedIn('viewer');
    const other = openStorePanel(app);
    await other.signIn(who);
    const change = (current_password: string, new_password: string) =>
      who.panel.post('/auth/change-password', { current_password, new_password });
    expect(fieldsOf(await change('wrong', better))).toEqual(['current_password']);
    expect(fieldsOf(await change(who.password, 'short'))).toEqual(['new_password']);
    expect(fieldsOf(await change(who.password, who.password))).toEqual(['new_password']);
    const before = who.panel.session();
    expect(dataOf(await change(who.password, better))).toEqual({
      changed: true,
      csrf_token: expect.any(String),
    });
    expect(said(await other.ask('/auth/me'))).toEqual(unauthorized());
    expect(said(await withCookie(before))).toEqual(unauthorized());
    expect(dataOf(await who.panel.post('/auth/logout'))).toEqual({ logged_out: true });
    expect(said(await who.panel.signIn(who))).toEqual(unauthorized('WRONG_PASSWORD'));
    expect((await who.panel.signIn({ ...who, password: better })).status).toBe(200);
  });

  it('ends its sessions one by one, and nobody else’s', async () => {
    const who = await signedIn('viewer');
    const other = openStorePanel(app);
    await other.signIn(who);
    type Session = { id: string; current: boolean };
    const open = dataOf<Session[]>(await who.panel.ask('/auth/sessions'));
    expect(open.map(({ current }) => current).toSorted()).toEqual([false, true]);
    expect(Object.keys(open[0] ?? {}).toSorted()).toEqual([
      'created_at',
      'current',
      'id',
      'ip',
      'last_seen_at',
      'user_agent',
    ]);
    const end = (id: string | undefined, by = who.panel) =>
      by.ask(`/auth/sessions/${id}`, { method: 'DELETE' });
    const foreign = open.find(({ current }) => !current)?.id;
    expect(said(await end(foreign, panel))).toEqual([404, 'NOT_FOUND', undefined]);
    expect(dataOf(await end(foreign))).toEqual({ deleted: true });
    expect(said(await other.ask('/auth/me'))).toEqual(unauthorized());
    expect(said(await end(foreign))).toEqual([404, 'NOT_FOUND', undefined]);
  });

  it('is signed out at once, and cannot be again', async () => {
    const { session, post } = panel;
    const before = session();
    expect(dataOf(await post('/auth/logout'))).toEqual({ logged_out: true });
    expect(said(await withCookie(before))).toEqual(unauthorized());
    const anonymous = await app.send('/api/store/auth/logout', { method: 'POST' });
    expect(said(anonymous)).toEqual(unauthorized());
    await panel.signIn(right);
    const { result, changes } = await app.changesBy(() =>
      panel.post('/auth/logout', {}, { 'X-CSRF-Token': 'x' }),
    );
    expect([said(result), changes]).toEqual([csrf, nothing]);
  });

  it('is of a person: a token of a program has none', async () => {
    const { secret } = await app.adminToken('owner');
    for (const [path, method] of [
      ['/auth/me', 'GET'],
      ['/auth/logout', 'POST'],
      ['/auth/change-password', 'POST'],
      ['/auth/sudo', 'POST'],
    ] as const) {
      const headers = { Authorization: `Bearer ${secret}` };
      const reply = await app.send(`/api/store${path}`, { method, headers });
      expect([path, ...said(reply)]).toEqual([path, 403, 'AUTH_FORBIDDEN', 'PERSON_REQUIRED']);
    }
  });
});

describe('what is most dangerous', () => {
  const refused = [403, 'AUTH_FORBIDDEN', 'SUDO_REQUIRED'];
  const invite = () => ({ email: `new${made++}@x.test`, name: 'New', role_ids: [] });

  it('asks a person for the password again after ten minutes', async () => {
    app.clock.advance(601);
    const { result, changes } = await app.changesBy(() => panel.post('/users', invite()));
    expect([said(result), changes.events]).toEqual([refused, []]);
    const wrong = await panel.post('/auth/sudo', { password: 'wrong' });
    expect([wrong.status, fieldsOf(wrong)]).toEqual([400, ['password']]);
    expect(dataOf(await panel.post('/auth/sudo', { password: right.password }))).toEqual({
      proven_until: expect.any(String),
    });
    expect((await panel.post('/users', invite())).status).toBe(201);
    await accounts.unlock(app.ctx, ownerId);
  });

  it('changes nothing of one’s own rights beyond what one holds', async () => {
    const { body } = await panel.post('/roles', { name: `keeper${made++}`, permissions: ['users:write'] });
    const { name } = body.data as unknown as { name: string };
    const keeper = await signedIn(name);
    const all = dataOf<{ id: string; name: string }[]>(await panel.ask('/roles'));
    const ownerRole = all.find((role) => role.name === 'owner')?.id;
    const { result, changes } = await app.changesBy(() =>
      keeper.panel.ask(`/users/${keeper.id}`, { method: 'PATCH', body: { role_ids: [ownerRole] } }),
    );
    expect([said(result), changes.events]).toEqual([[403, 'AUTH_FORBIDDEN', 'NOT_HELD'], []]);
  });
});

describe('a password by link', () => {
  const tokenOf = (url: string) => url.split('/').at(-1) ?? '';
  const send = (path: string, body: object) => app.send(`/api/store/auth${path}`, { body });
  const ended = [400, 'VALIDATION_ERROR', 'TOKEN_INVALID'];

  it('is asked for with one answer for every address', async () => {
    for (const email of [right.email, 'nobody@x.test', 'x'])
      expect(dataOf(await send('/forgot-password', { email }))).toEqual({ sent: true });
    expect(fieldsOf(await send('/forgot-password', {}))).toEqual(['email']);
  });

  it('is chosen once, ends every session, and the token opens nothing else', async () => {
    const who = await signedIn('viewer');
    const token = tokenOf((await accounts.linkFor(app.ctx, 'reset-password', who.id)).url);
    expect(said(await send('/accept-invite', { token, name: 'X', password: better }))).toEqual(ended);
    const weak = await send('/reset-password', { token, password: 'short' });
    expect([weak.status, fieldsOf(weak)]).toEqual([400, ['password']]);
    expect(dataOf(await send('/reset-password', { token, password: better }))).toEqual({ reset: true });
    expect(said(await send('/reset-password', { token, password: `${better}2` }))).toEqual(ended);
    expect(said(await who.panel.ask('/auth/me'))).toEqual(unauthorized());
    expect((await who.panel.signIn({ ...who, password: better })).status).toBe(200);
  });

  it('joins whoever was invited, with a name', async () => {
    const { user, link } = await accounts.invite(app.ctx, { email: 'joins@x.test', roles: ['viewer'] });
    const token = tokenOf(link.url);
    expect(fieldsOf(await send('/accept-invite', { token, password: better }))).toEqual(['name']);
    const { admin } = dataOf<{ admin: object }>(
      await send('/accept-invite', { token, name: 'Jo', password: better }),
    );
    expect(admin).toMatchObject({ id: user.id, name: 'Jo', status: 'active', roles: ['viewer'] });
    expect(said(await send('/accept-invite', { token, name: 'Jo', password: better }))).toEqual(ended);
  });

  it.each(['', 'x', 'A'.repeat(43), "' OR 1=1 --", '%00'])('is not opened by %j', async (token) => {
    const reply = await send('/reset-password', { token, password: better });
    expect(reply.status).toBe(400);
    if (token !== '') expect(said(reply)).toEqual(ended);
  });
});
