// Staff by JSON: signing in and out, the own account and sessions, the second factor, the password again, and looking as
// somebody else; with what attackers send instead (Z7, Z25, M13 to M16; A045, A049, A051).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import { PERMISSIONS, type Permission, permissionsOf } from '#platform/permissions/index.ts';
import * as roles from '#platform/roles/index.ts';
import { requireAdminTwoFactor } from '#platform/sessions/index.ts';
import * as settings from '#platform/settings/index.ts';
import { staffApi } from '#platform/staff-api/capability.ts';
import { personal } from '../contract/platform/staff-api.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import type { HttpReply } from '../support/http-client.ts';
import { openPanel, type Panel } from '../support/panel.ts';
import { totpCode } from '../support/totp.ts';
import { LOOPBACK_PINS } from '../support/webhooks.ts';

const right = { email: 'ops@x.test', password: 'correct horse' };
const webhook = { url: 'https://203.0.114.7/hook' };

let app: TestApp;
let ownerId: string;
let panel: Panel;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  ownerId = (await accounts.createOwner(app.ctx, { ...right, name: 'Ops' })).id;
});
afterAll(() => app.close());
beforeEach(async () => {
  panel = openPanel(app);
  await panel.signIn(right);
});

let made = 0;
/** Adds somebody with roles, and signs in. */
async function colleague(...roles: string[]): Promise<{ id: string; email: string; panel: Panel }> {
  made += 1;
  const email = `colleague${made}@x.test`;
  const { id } = await accounts.create(app.ctx, { email, password: right.password, roles });
  const own = openPanel(app);
  await own.signIn({ ...right, email });
  return { id, email, panel: own };
}
const said = ({ status, body }: HttpReply) => [status, body.error?.code, body.error?.details?.reason];
const refused = (reason: string) => [403, 'INSUFFICIENT_SCOPE', reason];
const unauthorized = (reason?: string) => [401, 'UNAUTHORIZED', reason];
const require2fa = (value: boolean) => settings.set(app.ctx, { key: requireAdminTwoFactor.key, value });
const audited = async (target: string): Promise<string[][]> => {
  const rows = await app.instance.database.db.knex('audit_log').where({ target_id: target }).orderBy('seq');
  return rows.map(({ action, actor_label }) => [action, actor_label]);
};

describe('signing in', () => {
  it('sets the cookie under a new id, tells who it is and the token for what follows', async () => {
    const other = openPanel(app);
    app.clock.advance(1);
    const { result, changes } = await app.changesBy(() => other.signIn(right));
    expect(result.status).toBe(200);
    expect(result.body).toMatchObject({ user: { id: ownerId, email: right.email, roles: ['owner'] } });
    expect(result.text).not.toMatch(/passwordHash|argon2/);
    expect(changes).toMatchObject({ events: ['SIGNED_IN'], rows: { sessions: '+1' } });
    expect(result.headers['set-cookie']).toEqual([
      expect.stringMatching(/^cart_session=\S+; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const first = other.session();
    expect((await other.post('/webhooks', webhook)).status).toBe(201);
    await other.signIn(right);
    expect(other.session()).not.toBe(first);
    const replay = await app.admin('/me', null, { headers: { Cookie: `cart_session=${first}` } });
    expect(said(replay)).toEqual(unauthorized());
  });

  it('gives a session of an attacker to nobody: its id is another one afterwards', async () => {
    const victim = openPanel(app);
    const planted = (await openPanelOfGuest()).cookie;
    const reply = await victim.signIn(right, { Cookie: `cart_session=${planted}` });
    expect(reply.status).toBe(200);
    expect(victim.session()).not.toBe(planted);
    const attacker = await app.admin('/me', null, { headers: { Cookie: `cart_session=${planted}` } });
    expect(said(attacker)).toEqual(unauthorized());
  });

  it('has one answer for every account and password that does not fit', async () => {
    const { id } = await accounts.create(app.ctx, { email: 'off@x.test', password: right.password });
    await app.instance.database.transaction(({ knex }) =>
      knex('admin_users').where({ id }).update({ status: 'disabled' }),
    );
    const replies = await Promise.all(
      [
        { ...right, password: 'wrong' },
        { ...right, email: 'nobody@x.test' },
        { ...right, email: 'off@x.test' },
        { ...right, password: 'x'.repeat(1000) },
        { ...right, email: "' OR 1=1 --" },
        { ...right, email: 'nobody@x.test', code: '000000' },
      ].map((given) => openPanel(app).signIn(given)),
    );
    for (const { body, status, headers } of replies) {
      expect([status, body.error]).toEqual([401, replies[0]?.body.error]);
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  it.each([
    [{}, 'email'],
    [{ email: right.email }, 'password'],
    [{ ...right, admin: true }, 'admin'],
    [{ ...right, permissions: ['x'] }, 'permissions'],
    [{ ...right, code: '000000', recoveryCode: 'x' }, 'recoveryCode'],
    [{ ...right, code: 123456 }, 'code'],
    [{ ...right, password: 'x'.repeat(1001) }, 'password'],
  ])('%j is not understood', async (given, field) => {
    const { result, changes } = await app.changesBy(() => openPanel(app).signIn(given));
    expect([result.status, result.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(result.body.error?.message).toContain(field);
    expect(changes).toEqual(nothing);
  });

  it('from the page of another site is refused, and beside an Authorization header', async () => {
    const { result, changes } = await app.changesBy(async () => [
      await openPanel(app).signIn(right, { Origin: 'https://evil.test' }),
      await openPanel(app).signIn(right, { 'Sec-Fetch-Site': 'cross-site' }),
      await openPanel(app).signIn(right, { Authorization: 'Bearer garbage' }),
    ]);
    expect(result.map(said)).toEqual([
      [403, 'CSRF_FAILED', undefined],
      [403, 'CSRF_FAILED', undefined],
      unauthorized(),
    ]);
    expect(changes).toEqual(nothing);
    const form = await app.admin('/auth/login', null, {
      body: new URLSearchParams(right).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect(said(form)).toEqual([400, 'VALIDATION_ERROR', undefined]);
  });

  it('out: the cookie is worth nothing afterwards, and needs the token before', async () => {
    const cookie = `cart_session=${panel.session()}`;
    const without = await app.admin('/auth/logout', null, { method: 'POST', headers: { Cookie: cookie } });
    expect(said(without)).toEqual([403, 'CSRF_FAILED', undefined]);
    const { result, changes } = await app.changesBy(() => panel.post('/auth/logout'));
    expect([result.status, result.body.signedOut]).toEqual([200, true]);
    expect(changes).toMatchObject({ events: ['SIGNED_OUT'], rows: { sessions: '-1' } });
    expect(said(await app.admin('/me', null, { headers: { Cookie: cookie } }))).toEqual(unauthorized());
  });
});

/** The cookie of a guest, as a page with a form gives it. */
async function openPanelOfGuest(): Promise<{ cookie: string }> {
  const { headers } = await app.send('/admin/login');
  return { cookie: /cart_session=([^;]*)/.exec(headers['set-cookie']?.[0] ?? '')?.[1] ?? '' };
}

describe('me', () => {
  it('tells a person and a token what they are and may', async () => {
    const { body } = await panel.ask('/me');
    expect(body).toMatchObject({
      user: { id: ownerId, twoFactor: { enabled: false } },
      token: null,
      roles: ['owner'],
      permissions: permissionsOf('owner'),
      scopes: {},
      owes: null,
      viewing: null,
    });
    const viewer = await app.adminToken('viewer');
    expect((await app.admin('/me', viewer)).body).toMatchObject({
      user: null,
      token: { id: viewer.id, name: 'viewer', expiresAt: null },
      roles: ['viewer'],
      permissions: permissionsOf('viewer'),
      csrfToken: null,
    });
  });

  it('gives a new token for the session that asks, and changes the own name alone', async () => {
    const own = await colleague('viewer');
    const { body } = await own.panel.ask('/me', { method: 'PATCH', body: { name: 'Nora' } });
    expect(body).toMatchObject({ user: { id: own.id, name: 'Nora' } });
    for (const more of [{ email: 'x@x.test' }, { roles: ['owner'] }, { status: 'active' }, { id: ownerId }]) {
      const reply = await own.panel.ask('/me', { method: 'PATCH', body: { name: 'Nora', ...more } });
      expect(said(reply)).toEqual([400, 'VALIDATION_ERROR', undefined]);
    }
  });

  it('rehearses a change that the request only tries, and nothing that cannot be', async () => {
    const patch = (headers: Record<string, string>) =>
      panel.ask('/me', { method: 'PATCH', body: { name: 'Tried' }, headers });
    const { result, changes } = await app.changesBy(() => patch({ 'Dry-Run': 'true' }));
    expect([result.status, result.headers['dry-run']]).toEqual([200, 'true']);
    expect(changes).toEqual(nothing);
    expect((await panel.ask('/me')).body.user?.name).toBe('Ops');
    expect(said(await patch({ 'Dry-Run': 'yes' }))).toEqual([400, 'VALIDATION_ERROR', undefined]);
    const sudo = await panel.post('/auth/sudo', { password: right.password }, { 'Dry-Run': 'true' });
    expect(said(sudo)).toEqual([400, 'VALIDATION_ERROR', undefined]);
    expect((await panel.ask('/me', { headers: { 'Dry-Run': 'true' } })).headers['dry-run']).toBeUndefined();
  });

  it('lists every permission once, in words', async () => {
    const { areas } = (await panel.ask('/permissions')).body as unknown as {
      areas: { permissions: { key: string; label: string }[] }[];
    };
    const listed = areas.flatMap(({ permissions }) => permissions);
    expect(listed.map(({ key }) => key)).toEqual(PERMISSIONS);
    expect(new Set(listed.map(({ label }) => label)).size).toBe(PERMISSIONS.length);
  });
});

describe('the password', () => {
  it('is asked for again after ten minutes, and lets go on for ten more', async () => {
    app.clock.advance(600);
    expect(said(await panel.post('/webhooks', webhook))).toEqual(refused('SUDO_REQUIRED'));
    // Some bodies alone ask for it: an export with license keys.
    const keys = { format: 'jsonl', includeKeys: true };
    expect(said(await panel.post('/exports', keys))).toEqual(refused('SUDO_REQUIRED'));
    expect((await panel.post('/exports', { format: 'jsonl' })).status).toBe(202);
    expect(said(await panel.post('/auth/sudo', { password: 'wrong' }))).toEqual([
      400,
      'VALIDATION_ERROR',
      undefined,
    ]);
    expect(said(await panel.post('/webhooks', webhook))).toEqual(refused('SUDO_REQUIRED'));
    expect((await panel.post('/auth/sudo', { password: right.password })).status).toBe(200);
    app.clock.advance(599);
    expect((await panel.post('/webhooks', webhook)).status).toBe(201);
    app.clock.advance(1);
    expect(said(await panel.post('/webhooks', webhook))).toEqual(refused('SUDO_REQUIRED'));
  });

  it('is asked for many rows at once as for each of them', async () => {
    const { id } = await colleague('viewer');
    const token = await app.adminToken('viewer');
    app.clock.advance(600);
    const { result, changes } = await app.changesBy(async () => [
      await panel.post('/users/bulk', { action: 'disable', ids: [id] }),
      await panel.post('/users/bulk', { action: 'enable', filter: {}, dryRun: true }),
      await panel.post('/admin-tokens/bulk', { action: 'revoke', ids: [token.id] }),
    ]);
    expect(result.map(said)).toEqual(result.map(() => refused('SUDO_REQUIRED')));
    expect(changes.events).toEqual([]);
    expect((await panel.ask(`/users/${id}`)).body.user?.status).toBe('active');
    const unknown = ['constructor', 7, null].map((action) =>
      panel.post('/users/bulk', { action, ids: [id] }),
    );
    for (const reply of await Promise.all(unknown)) expect(reply.status).toBe(400);
    await panel.post('/auth/sudo', { password: right.password });
    const { body } = await panel.post('/users/bulk', { action: 'disable', ids: [id] });
    expect(body.summary).toEqual({ total: 1, succeeded: 1, failed: 0 });
  });

  it('changed: the session goes on under a new id, every other one has ended', async () => {
    const own = await colleague('viewer');
    const elsewhere = openPanel(app);
    await elsewhere.signIn({ ...right, email: own.email });
    const before = own.panel.session();
    const wrong = { currentPassword: 'wrong', password: 'another horse' };
    expect(said(await own.panel.post('/me/password', wrong))).toEqual([400, 'VALIDATION_ERROR', undefined]);
    const change = { currentPassword: right.password, password: 'another horse' };
    expect((await own.panel.post('/me/password', change)).body).toMatchObject({ changed: true });
    expect(own.panel.session()).not.toBe(before);
    expect((await own.panel.ask('/me/sessions')).body.sessions).toMatchObject([{ isCurrent: true }]);
    expect((await own.panel.ask('/me', { method: 'PATCH', body: { name: 'N' } })).status).toBe(200);
    expect(said(await elsewhere.ask('/me'))).toEqual(unauthorized());
    expect(said(await openPanel(app).signIn({ ...right, email: own.email }))).toEqual(
      unauthorized('WRONG_PASSWORD'),
    );
  });
});

describe('sessions', () => {
  it('are listed and ended one by one and all together, the own ones alone', async () => {
    const own = await colleague('viewer');
    const others = [openPanel(app), openPanel(app), openPanel(app)] as const;
    for (const one of others) await one.signIn({ ...right, email: own.email });
    const ids = async (of: Panel) =>
      ((await of.ask('/me/sessions')).body.sessions as unknown as { id: string; isCurrent: boolean }[])
        .filter(({ isCurrent }) => !isCurrent)
        .map(({ id }) => id);
    const [first] = (await ids(own.panel)) as [string];
    expect(said(await panel.ask(`/me/sessions/${first}`, { method: 'DELETE' }))).toEqual([
      404,
      'NOT_FOUND',
      undefined,
    ]);
    expect((await own.panel.ask(`/me/sessions/${first}`, { method: 'DELETE' })).status).toBe(200);
    expect(await ids(own.panel)).toHaveLength(2);
    expect((await own.panel.ask('/me/sessions', { method: 'DELETE' })).body.ended).toBe(2);
    expect(await ids(own.panel)).toEqual([]);
    for (const one of others) expect(said(await one.ask('/me'))).toEqual(unauthorized());
    expect((await panel.ask('/me')).status).toBe(200);
  });
});

describe('an operation about the person who signed in', () => {
  const operations = (staffApi.adminEndpoints ?? []).map(
    (endpoint) =>
      [`${endpoint.method.toUpperCase()} ${endpoint.path.replace('/api/v1/admin', '')}`, endpoint] as const,
  );
  const own = operations.filter(([name, { scope }]) => personal.has(name) && scope !== null);

  it.each(own)(
    '%s is nothing for a stranger and for the token of a program',
    async (name, { method, path }) => {
      const to = path.replace('/api/v1/admin', '').replace('{id}', `ses_${'0'.repeat(26)}`);
      const token = await app.adminToken('owner');
      const body = bodies[name] ?? undefined;
      const { result, changes } = await app.changesBy(async () => [
        await app.admin(to, null, { method: method.toUpperCase(), body }),
        await app.admin(to, token, { method: method.toUpperCase(), body }),
      ]);
      expect([result[0]?.status, result[1]?.status]).toEqual([401, 403]);
      expect(['PERSON_REQUIRED', 'SESSION_REQUIRED', 'LOGIN_TOKEN_REQUIRED']).toContain(
        result[1]?.body.error?.details?.reason,
      );
      expect(changes.rows).toEqual({});
    },
  );

  it.each(operations.filter(([, { body }]) => body))(
    '%s takes no field that it does not know',
    async (name, at) => {
      const to = at.path.replace('/api/v1/admin', '');
      const body = { ...bodies[name], isAdmin: true };
      const { result } = await app.changesBy(() => panel.ask(to, { method: at.method.toUpperCase(), body }));
      expect([result.status, result.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(result.body.error?.message).toContain('isAdmin');
    },
  );
});

const bodies: Record<string, object> = {
  'POST /auth/login': right,
  'POST /auth/sudo': { password: right.password },
  'POST /auth/view-as': { userId: 'usr_00000000000000000000000000' },
  'PATCH /me': { name: 'x' },
  'POST /me/password': { currentPassword: right.password, password: 'another horse' },
  'POST /me/two-factor/confirm': { code: '000000' },
  'DELETE /me/two-factor': { password: right.password },
};

describe('require_admin_2fa', () => {
  it('lets an account without a second factor only set one up', async () => {
    const own = await colleague('owner');
    await require2fa(true);
    const owing = refused('TWO_FACTOR_ENROLMENT_REQUIRED');
    expect(said(await own.panel.ask('/webhooks'))).toEqual(owing);
    expect(said(await own.panel.post('/webhooks', webhook))).toEqual(owing);
    expect(said(await own.panel.ask('/me', { method: 'PATCH', body: { name: 'x' } }))).toEqual(owing);
    expect((await own.panel.ask('/me')).body).toMatchObject({ owes: 'SECOND_FACTOR', permissions: [] });
    expect((await own.panel.post('/me/two-factor')).status).toBe(200);
    expect((await own.panel.post('/auth/logout')).status).toBe(200);
    await require2fa(false);
  });
});

describe('a login token', () => {
  const tokenOf = (given: object) => app.admin('/auth/token', null, { body: given });
  const bearer = (reply: HttpReply) => ({ id: '', secret: String(reply.body.token) });

  it('acts as its user at the moment, is shown once, and ends itself', async () => {
    const own = await colleague('viewer');
    const reply = await tokenOf({ ...right, email: own.email, name: 'laptop' });
    expect([reply.status, reply.headers['set-cookie']]).toEqual([201, undefined]);
    const token = bearer(reply);
    expect((await app.admin('/me', token)).body).toMatchObject({
      user: { id: own.id },
      token: { name: 'laptop', expiresAt: reply.body.expiresAt },
      roles: ['viewer'],
      csrfToken: null,
    });
    expect(said(await app.admin('/webhooks', token, { body: webhook }))).toEqual([
      403,
      'INSUFFICIENT_SCOPE',
      undefined,
    ]);
    await accounts.setRoles(app.ctx, own.id, ['owner']);
    expect((await app.admin('/webhooks', token, { body: webhook })).status).toBe(201);
    expect((await app.admin('/auth/token', token, { method: 'DELETE' })).body.signedOut).toBe(true);
    expect(said(await app.admin('/me', token))).toEqual(unauthorized('REVOKED'));
  });

  it('asks for the password again too, after ten minutes', async () => {
    const token = bearer(await tokenOf(right));
    app.clock.advance(600);
    const make = () => app.admin('/webhooks', token, { body: webhook });
    expect(said(await make())).toEqual(refused('SUDO_REQUIRED'));
    expect((await app.admin('/auth/sudo', token, { body: { password: right.password } })).status).toBe(200);
    expect((await make()).status).toBe(201);
  });

  it('ends with a new password, when its user is disabled, and when its sessions are ended', async () => {
    const ends = [
      (id: string) => accounts.resetPassword(app.ctx, id, { password: 'another horse' }),
      (id: string) => accounts.disable(app.ctx, id),
      (id: string) => accounts.endSessions(app.ctx, id, null),
    ];
    for (const end of ends) {
      const own = await colleague('viewer');
      const token = bearer(await tokenOf({ ...right, email: own.email }));
      expect((await app.admin('/me', token)).status).toBe(200);
      await end(own.id);
      expect(said(await app.admin('/me', token))).toEqual(unauthorized('REVOKED'));
    }
  });

  it('is not made for whoever owes something, and has no session to look with', async () => {
    await require2fa(true);
    expect(said(await tokenOf(right))).toEqual(refused('TWO_FACTOR_ENROLMENT_REQUIRED'));
    await require2fa(false);
    const token = bearer(await tokenOf(right));
    await require2fa(true);
    expect(said(await app.admin('/webhooks', token))).toEqual(refused('TWO_FACTOR_ENROLMENT_REQUIRED'));
    expect((await app.admin('/me', token)).body).toMatchObject({ owes: 'SECOND_FACTOR', permissions: [] });
    await require2fa(false);
    const { id } = await colleague('viewer');
    expect(said(await app.admin('/auth/view-as', token, { body: { userId: id } }))).toEqual(
      refused('SESSION_REQUIRED'),
    );
    expect(said(await panel.ask('/auth/token', { method: 'DELETE' }))).toEqual(
      refused('LOGIN_TOKEN_REQUIRED'),
    );
  });
});

describe('the second factor', () => {
  it('is set up, asked for at the next sign-in, and nothing opens before it came', async () => {
    const own = await colleague('owner');
    const given = { ...right, email: own.email };
    const { secret, otpauthUrl } = (await own.panel.post('/me/two-factor')).body;
    expect(String(otpauthUrl)).toContain(String(secret));
    expect(said(await own.panel.post('/me/two-factor/confirm', { code: '000000' }))[0]).toBe(400);
    const codeNow = () => totpCode(String(secret), Date.parse(app.ctx.now()));
    const confirmed = await own.panel.post('/me/two-factor/confirm', { code: codeNow() });
    const codes = confirmed.body.recoveryCodes as unknown as string[];
    expect(codes).toHaveLength(10);

    const later = openPanel(app);
    const first = await later.signIn(given);
    expect(said(first)).toEqual(unauthorized('TWO_FACTOR_REQUIRED'));
    expect(first.headers['set-cookie']).toBeUndefined();
    expect(said(await later.ask('/me'))).toEqual(unauthorized());
    expect(said(await later.signIn({ ...given, code: codeNow() }))).toEqual(unauthorized('TWO_FACTOR_WRONG'));
    app.clock.advance(30);
    expect((await later.signIn({ ...given, code: codeNow() })).status).toBe(200);
    expect(said(await openPanel(app).signIn({ ...given, code: codeNow() }))).toEqual(
      unauthorized('TWO_FACTOR_WRONG'),
    );

    const recoveryCode = codes[0] as string;
    const both = await Promise.all([1, 2].map(() => openPanel(app).signIn({ ...given, recoveryCode })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await later.ask('/me')).body.user?.twoFactor).toEqual({ enabled: true, recoveryCodesLeft: 9 });
    const renewed = await later.post('/me/recovery-codes');
    expect(renewed.body.recoveryCodes).toHaveLength(10);
    const off = (password: string) => later.ask('/me/two-factor', { method: 'DELETE', body: { password } });
    expect((await off('wrong')).status).toBe(400);
    expect((await off(right.password)).body.enabled).toBe(false);
    expect((await openPanel(app).signIn(given)).status).toBe(200);
  });
});

describe('looking as somebody else', () => {
  const begin = (of: Panel, userId: string) => of.post('/auth/view-as', { userId });
  const end = (of: Panel) => of.ask('/auth/view-as', { method: 'DELETE' });

  it('sees what that account sees, changes nothing, and is on record under both names', async () => {
    const { id, email } = await colleague('viewer');
    const begun = await begin(panel, id);
    expect(begun.body).toMatchObject({ user: { id }, viewing: { id: ownerId, label: right.email } });
    expect((await panel.ask('/me')).body).toMatchObject({
      user: { id, email },
      viewing: { id: ownerId, label: right.email },
      permissions: permissionsOf('viewer'),
    });
    expect((await panel.ask('/webhooks')).status).toBe(200);
    const { result, changes } = await app.changesBy(async () => [
      await panel.post('/webhooks', webhook),
      await panel.ask('/me', { method: 'PATCH', body: { name: 'x' } }),
      await panel.post('/auth/sudo', { password: right.password }),
      await panel.post('/me/password', { currentPassword: right.password, password: 'another horse' }),
      await panel.post('/me/two-factor'),
      await panel.ask('/me/sessions', { method: 'DELETE' }),
      await begin(panel, ownerId),
    ]);
    expect(result.map(said)).toEqual(result.map(() => refused('READ_ONLY_VIEW')));
    expect(changes).toEqual(nothing);
    expect((await end(panel)).body).toMatchObject({ user: { id: ownerId }, viewing: null });
    await begin(panel, id);
    await panel.signIn(right);
    expect((await panel.ask('/me')).body).toMatchObject({ user: { id: ownerId }, viewing: null });
    expect(await audited(id)).toEqual(
      expect.arrayContaining([
        ['VIEW_AS_BEGUN', right.email],
        ['VIEW_AS_ENDED', right.email],
      ]),
    );
  });

  it('fetches no license keys that the other one exported with the password at hand', async () => {
    await app.license();
    const own = await colleague('owner');
    const begun = await own.panel.post('/exports', { format: 'jsonl', includeKeys: true });
    const { id } = begun.body.export as unknown as { id: string };
    const file = `/exports/${id}/file`;
    expect((await own.panel.ask(file)).status).toBe(200);
    await begin(panel, own.id);
    expect(said(await panel.ask(file))).toEqual(refused('NOT_YOURS'));
  });

  it('sends no form of a page either, and signs out as oneself', async () => {
    const { id } = await colleague('owner');
    await begin(panel, id);
    const cookie = { Cookie: `cart_session=${panel.session()}` };
    expect((await app.send('/admin/', { headers: cookie })).status).toBe(200);
    const form = { _csrf: String(panel.token()), name: 'Nora' };
    const { result, changes } = await app.changesBy(async () => [
      await app.send('/admin/profile', { headers: cookie }),
      await app.send('/admin/profile', {
        body: new URLSearchParams(form).toString(),
        headers: { ...cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
      }),
    ]);
    expect(result.map(({ status }) => status)).toEqual([403, 403]);
    expect(result[1]?.text).toContain('Not possible while you view as');
    expect(changes).toEqual(nothing);
    expect((await panel.post('/auth/logout')).status).toBe(200);
    const [last] = await app.instance.database.db
      .knex('audit_log')
      .where({ action: 'SIGNED_OUT' })
      .orderBy('seq', 'desc');
    expect([last.target_id, last.actor_label]).toEqual([ownerId, right.email]);
  });

  it('is only for whoever may manage staff, and of an account with no more than the own', async () => {
    const support = await colleague('support');
    expect(said(await begin(support.panel, ownerId))).toEqual([403, 'INSUFFICIENT_SCOPE', undefined]);
    const manager = await colleague('support');
    await giveOwnRole(manager.id, ['users:write', 'licensing:read']);
    expect((await begin(manager.panel, ownerId)).status).toBe(403);
    expect((await begin(manager.panel, support.id)).status).toBe(403);
    const { id } = await colleague();
    expect((await begin(manager.panel, id)).status).toBe(200);
    expect(said(await begin(panel, `usr_${'0'.repeat(26)}`))).toEqual([404, 'NOT_FOUND', undefined]);
    expect(said(await begin(panel, ownerId))).toEqual([400, 'VALIDATION_ERROR', undefined]);
  });

  it('never shows more than both may see at the moment', async () => {
    const manager = await colleague('owner');
    const { id } = await colleague('viewer');
    await begin(manager.panel, id);
    await accounts.setRoles(app.ctx, id, ['owner']);
    await accounts.setRoles(app.ctx, manager.id, ['licensing']);
    const { permissions } = (await manager.panel.ask('/me')).body;
    expect([...(permissions as unknown as string[])].sort()).toEqual([...permissionsOf('licensing')].sort());
    await accounts.disable(app.ctx, id);
    expect((await manager.panel.ask('/me')).body.user?.id).toBe(manager.id);
  });
});

/** Gives an account a role of its own with these permissions, in place of those it has. */
async function giveOwnRole(id: string, permissions: Permission[]): Promise<void> {
  made += 1;
  await roles.create(app.ctx, { name: `own-${made}`, permissions });
  await accounts.setRoles(app.ctx, id, [`own-${made}`]);
}

it('names what it takes as a bearer when none, or an unknown one, is sent', async () => {
  const answers = ['', 'Bearer adm_unknown'].map(async (authorization) => {
    const answer = await fetch(`${app.url}/api/v1/admin/me`, { headers: { authorization } });
    return ((await answer.json()) as { error: { message: string } }).error.message;
  });
  expect(await Promise.all(answers)).toEqual([
    'Authorization must be Bearer <admin token>',
    'The admin token is not valid',
  ]);
});
