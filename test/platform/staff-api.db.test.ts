// Staff by JSON: signing in and out, the own account and sessions, the second factor, the password again, and looking as
// somebody else; with what attackers send instead (Z7, Z25, M13 to M16; A045, A049, A051).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import { PERMISSIONS, permissionsOf } from '#platform/permissions/index.ts';
import { requireAdminTwoFactor } from '#platform/sessions/index.ts';
import * as settings from '#platform/settings/index.ts';
import { staffApi } from '#platform/staff-api/capability.ts';
import { personal } from '../contract/platform/staff-api.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import type { HttpReply } from '../support/http-client.ts';
import { openPanel, type Panel } from '../support/panel.ts';
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
      expect(['PERSON_REQUIRED', 'SESSION_REQUIRED']).toContain(result[1]?.body.error?.details?.reason);
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
    await settings.set(app.ctx, requireAdminTwoFactor.key, true);
    const owing = refused('TWO_FACTOR_ENROLMENT_REQUIRED');
    expect(said(await own.panel.ask('/webhooks'))).toEqual(owing);
    expect(said(await own.panel.post('/webhooks', webhook))).toEqual(owing);
    expect(said(await own.panel.ask('/me', { method: 'PATCH', body: { name: 'x' } }))).toEqual(owing);
    expect((await own.panel.ask('/me')).body).toMatchObject({ owes: 'SECOND_FACTOR', permissions: [] });
    expect((await own.panel.post('/me/two-factor')).status).toBe(200);
    expect((await own.panel.post('/auth/logout')).status).toBe(200);
    await settings.set(app.ctx, requireAdminTwoFactor.key, false);
  });
});
