// Staff, roles and the audit log by the JSON of the store: the same resources as those of the admin API, in its envelope
// (storefront-api.md, AN; Z7, Z23, S2).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import { PERMISSIONS } from '#platform/permissions/index.ts';
import { API_KEY_SCOPES } from '#storefront/contract/scopes.ts';
import * as apiKeys from '#storefront/tools/api-keys/index.ts';
import { storeClient } from '../storefront/store-client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { totpCode } from '../support/totp.ts';

type Item = Record<string, unknown> & { id: string };
interface Role {
  id: string;
  name: string;
  permissions: string[];
}

let app: TestApp;
let owner: Awaited<ReturnType<typeof storeClient>>;
let roles: Role[];
beforeAll(async () => {
  app = await startApp();
  await accounts.createOwner(app.ctx, { email: 'olga@x.test', name: 'Olga', password: 'correct horse' });
  owner = await storeClient(app, 'owner', { isInstanceWide: true });
  roles = (await owner.data('/roles')) as unknown as Role[];
});
afterAll(() => app.close());

let made = 0;
const roleId = (name: string) => roles.find((one) => one.name === name)?.id ?? '';
const invited = (...names: string[]): Promise<Item> =>
  owner.data('/users', 'POST', {
    email: `ann${made++}@x.test`,
    name: 'Ann',
    role_ids: names.map(roleId),
  });
const joined = async (...names: string[]) => {
  const email = `bob${made++}@x.test`;
  return accounts.create(app.ctx, { email, password: 'correct horse', roles: names });
};
const audited = async (id: string): Promise<string[]> =>
  (await app.instance.database.db.knex('audit_log').where({ target_id: id }).orderBy('seq')).map(
    ({ action }) => action,
  );

describe('an account', () => {
  it('is invited with roles by their ids, and is shown with them', async () => {
    const { result, changes } = await app.changesBy(() => invited('support', 'viewer'));
    expect(result).toMatchObject({
      status: 'invited',
      role_ids: [roleId('support'), roleId('viewer')],
      roles: ['support', 'viewer'],
      scopes: [],
      two_factor_enabled: false,
      timezone: null,
      last_login_at: null,
      invite: { url: expect.stringMatching(/\/admin\/invite\//), expires_at: expect.any(String) },
    });
    expect(changes.events).toEqual(['STAFF_CREATED', 'STAFF_LINK_MADE']);
    const { invite: _once, ...shown } = result;
    expect(await owner.data(`/users/${result.id}`)).toEqual(shown);
  });

  it.each([
    [{}, 'VALIDATION_MISSING_FIELD', ['email', 'name', 'role_ids']],
    [{ email: 'x@x.test', name: 'X' }, 'VALIDATION_MISSING_FIELD', ['role_ids']],
    [{ email: 'x@x.test', name: 'X', role_ids: 'owner' }, 'VALIDATION_ERROR', ['role_ids']],
    [{ email: 'x@x.test', name: 'X', role_ids: ['rol_nothing'] }, 'VALIDATION_ERROR', ['role_ids']],
    [{ email: 'x', name: 'X', role_ids: [] }, 'VALIDATION_ERROR', ['email']],
  ])('is not invited by %j', async (body, code, fields) => {
    const { result, changes } = await app.changesBy(() => owner.send('/users', 'POST', body));
    const { error_code, details } = result.body as unknown as {
      error_code: string;
      details: { fields: { field: string }[] };
    };
    expect([result.status, error_code, details.fields.map(({ field }) => field)]).toEqual([
      400,
      code,
      fields,
    ]);
    expect(changes).toEqual(nothing);
  });

  it('is not invited twice once it joined', async () => {
    const { email } = await joined();
    const again = { email, name: 'B', role_ids: [] };
    expect(await owner.refusal('/users', 'POST', again)).toEqual([
      400,
      'VALIDATION_ERROR',
      'INVALID_TRANSITION',
    ]);
  });

  it('gets another name, roles and scopes; fields that are not sent stay as they are', async () => {
    const { id } = await joined('viewer');
    const renamed = await owner.data(`/users/${id}`, 'PATCH', { name: 'Bea', unknown: 1 });
    expect(renamed).toMatchObject({ name: 'Bea', role_ids: [roleId('viewer')] });
    const { id: productId } = await app.product();
    const changed = await owner.data(`/users/${id}`, 'PATCH', {
      role_ids: [roleId('licensing')],
      scopes: [{ kind: 'license_product', ref_id: productId }],
    });
    expect(changed).toMatchObject({
      name: 'Bea',
      roles: ['licensing'],
      scopes: [{ kind: 'license_product', ref_id: productId }],
    });
    const free = await owner.data(`/users/${id}`, 'PATCH', { scopes: [] });
    expect(free.scopes).toEqual([]);
    expect(await audited(id)).toEqual([
      'STAFF_CREATED',
      'STAFF_UPDATED',
      'USER_ROLES_CHANGED',
      'USER_SCOPES_CHANGED',
      'USER_SCOPES_CHANGED',
    ]);
  });

  it('is confined to nothing that there is not, and vendors are still to come', async () => {
    const { id } = await joined('viewer');
    const scopes = (kind: string, ref_id: string) => ({ scopes: [{ kind, ref_id }] });
    const ask = (body: object) => owner.refusal(`/users/${id}`, 'PATCH', body);
    expect(await ask(scopes('license_product', 'prd_nothing'))).toEqual([404, 'NOT_FOUND', undefined]);
    expect(await ask(scopes('vendor', 'ven_nothing'))).toEqual([404, 'NOT_FOUND', undefined]);
    expect(await ask(scopes('planet', 'x'))).toEqual([400, 'VALIDATION_ERROR', undefined]);
    expect(await ask({ scopes: [{ kind: 'tenant' }] })).toEqual([400, 'VALIDATION_MISSING_FIELD', undefined]);
  });

  it('is closed and opened, and deleted', async () => {
    const { id } = await joined('viewer');
    expect(await owner.data(`/users/${id}/disable`, 'POST')).toMatchObject({ id, status: 'disabled' });
    expect(await owner.data(`/users/${id}/enable`, 'POST')).toMatchObject({ id, status: 'active' });
    expect(await owner.data(`/users/${id}`, 'DELETE')).toEqual({ deleted: true });
    expect(await owner.refusal(`/users/${id}`, 'GET')).toEqual([404, 'NOT_FOUND', undefined]);
  });

  it('is invited again, with another link, until it joined', async () => {
    const first = await invited('viewer');
    const again = await owner.data(`/users/${first.id}/resend-invite`, 'POST');
    const { url } = first.invite as { url: string };
    // Nothing is configured that would send the mail.
    expect(again).toMatchObject({ sent: false, invite: { url: expect.not.stringContaining(url) } });
    const { id } = await joined();
    expect(await owner.refusal(`/users/${id}/resend-invite`, 'POST')).toEqual([
      400,
      'VALIDATION_ERROR',
      'INVALID_TRANSITION',
    ]);
  });

  it('loses its second factor for a reason, which the audit log has', async () => {
    const { id } = await joined();
    const { secret } = await accounts.setupTwoFactor(app.ctx, id);
    await accounts.confirmTwoFactor(app.ctx, id, totpCode(secret, Date.parse(app.ctx.now())));
    expect(await owner.data(`/users/${id}`)).toMatchObject({
      two_factor_enabled: true,
      recovery_codes_left: 10,
    });
    expect(await owner.refusal(`/users/${id}/reset-2fa`, 'POST', {})).toEqual([
      400,
      'VALIDATION_MISSING_FIELD',
      undefined,
    ]);
    expect(await owner.data(`/users/${id}/reset-2fa`, 'POST', { reason: 'lost phone' })).toEqual({
      reset: true,
    });
    const [entry] = (await owner.data(`/audit-log?entity=users&entity_id=${id}`)) as unknown as Item[];
    expect(entry).toMatchObject({ action: 'TWO_FACTOR_DISABLED', note: 'lost phone' });
    expect(await owner.data(`/users/${id}`)).toMatchObject({ two_factor_enabled: false });
  });

  it('stays when it is the last owner', async () => {
    const all = (await owner.data('/users?role=owner')) as unknown as Item[];
    const id = all[0]?.id;
    const last = [400, 'VALIDATION_ERROR', 'INVALID_TRANSITION'];
    const { result, changes } = await app.changesBy(async () => [
      await owner.refusal(`/users/${id}/disable`, 'POST'),
      await owner.refusal(`/users/${id}`, 'DELETE'),
      await owner.refusal(`/users/${id}`, 'PATCH', { role_ids: [] }),
    ]);
    expect([all.length, ...result]).toEqual([1, last, last, last]);
    expect(changes).toEqual(nothing);
  });
});

describe('who may not', () => {
  it('grants nothing that they lack, and changes nobody who may do more', async () => {
    await owner.data('/roles', 'POST', { name: 'keeper', permissions: ['users:write', 'roles:write'] });
    const keeper = await storeClient(app, 'keeper', { isInstanceWide: true });
    const forbidden = [403, 'AUTH_FORBIDDEN', 'NOT_HELD'];
    const { id } = await joined('viewer');
    const { result, changes } = await app.changesBy(async () => [
      await keeper.refusal('/users', 'POST', { email: 'eve@x.test', name: 'E', role_ids: [roleId('owner')] }),
      await keeper.refusal('/roles', 'POST', { name: 'more', permissions: ['products:write'] }),
      await keeper.refusal(`/users/${id}`, 'PATCH', { role_ids: [roleId('manager')] }),
      await keeper.refusal(`/users/${id}/disable`, 'POST'),
      await keeper.refusal(`/users/${id}/reset-2fa`, 'POST', { reason: 'mine now' }),
    ]);
    expect(result).toEqual(result.map(() => forbidden));
    expect(changes).toEqual(nothing);
  });

  it('has no way in with an API key, whatever its scopes, but to read the audit log', async () => {
    const { secret } = await apiKeys.create(app.ctx, { name: 'all', scopes: [...API_KEY_SCOPES] });
    const ask = async (path: string, method = 'GET') => {
      const { status, body } = await app.send(`/api/store${path}`, {
        method,
        headers: { Authorization: `Bearer ${secret}` },
      });
      return [path, status, body.error_code ?? null];
    };
    for (const path of ['/users', '/users/usr_x', '/roles', '/roles/rol_x', '/permissions'])
      expect(await ask(path)).toEqual([path, 403, 'AUTH_FORBIDDEN']);
    expect(await ask('/users/usr_x/disable', 'POST')).toEqual([
      '/users/usr_x/disable',
      403,
      'AUTH_FORBIDDEN',
    ]);
    expect(await ask('/audit-log')).toEqual(['/audit-log', 200, null]);
    // What opens it for a key opens it for nobody else.
    const { secret: token } = await app.adminToken('catalogue');
    const { status } = await app.send('/api/store/audit-log', {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(status).toBe(403);
  });
});

describe('a role', () => {
  it('of the system is listed and stays as it is', async () => {
    const found = roles.find(({ name }) => name === 'owner');
    expect(found).toMatchObject({ is_system: true, users: 1, permissions: expect.any(Array) });
    const fixed = [400, 'VALIDATION_ERROR', 'INVALID_TRANSITION'];
    expect(await owner.refusal(`/roles/${found?.id}`, 'PATCH', { permissions: [] })).toEqual(fixed);
    expect(await owner.refusal(`/roles/${found?.id}`, 'DELETE')).toEqual(fixed);
  });

  it('of the own is made, changed and deleted when nobody holds it', async () => {
    const { id } = await owner.data('/roles', 'POST', { name: 'night', permissions: ['orders:read'] });
    expect(await owner.data(`/roles/${id}`, 'PATCH', { permissions: ['orders:write'] })).toMatchObject({
      id,
      name: 'night',
      permissions: ['orders:write'],
      is_system: false,
    });
    const { id: userId } = await joined('night');
    const held = await owner.refusal(`/roles/${id}`, 'DELETE');
    expect(held).toEqual([400, 'VALIDATION_ERROR', 'INVALID_TRANSITION']);
    await owner.data(`/users/${userId}`, 'PATCH', { role_ids: [] });
    expect(await owner.data(`/roles/${id}`, 'DELETE')).toEqual({ deleted: true });
    expect(await owner.refusal(`/roles/${id}`, 'GET')).toEqual([404, 'NOT_FOUND', undefined]);
  });

  it.each([
    [{}, 'VALIDATION_MISSING_FIELD', undefined],
    [{ name: 'Two words', permissions: [] }, 'VALIDATION_ERROR', undefined],
    [{ name: 'x', permissions: ['everything'] }, 'VALIDATION_ERROR', undefined],
    [{ name: 'owner', permissions: [] }, 'VALIDATION_ERROR', 'DUPLICATE'],
  ])('is not made of %j', async (body, code, reason) => {
    const { result, changes } = await app.changesBy(() => owner.refusal('/roles', 'POST', body));
    expect(result).toEqual([400, code, reason]);
    expect(changes).toEqual(nothing);
  });
});

it('every permission is listed by its area, in words', async () => {
  const areas = (await owner.data('/permissions')) as unknown as {
    area: string;
    permissions: { key: string; label: string }[];
  }[];
  expect(areas.flatMap(({ permissions }) => permissions.map(({ key }) => key))).toEqual(PERMISSIONS);
  expect(areas.every(({ area }) => area !== '')).toBe(true);
});

describe('the audit log', () => {
  it('is narrowed by who, what and when, and shows both sides of one entry', async () => {
    const { id } = await joined();
    await owner.data(`/users/${id}`, 'PATCH', { name: 'Renamed' });
    const query = new URLSearchParams({ entity: 'users', entity_id: id, action: 'STAFF_UPDATED' });
    const { body } = await owner.send(`/audit-log?${query}`);
    const [entry] = body.data as unknown as (Item & { actor_id: string })[];
    expect(body.pagination).toEqual({ page: 1, per_page: 20, total: 1, total_pages: 1 });
    expect(entry).toMatchObject({
      action: 'STAFF_UPDATED',
      actor_type: 'admin',
      entity: 'users',
      entity_id: id,
      via: 'api',
      after: { name: 'Renamed' },
    });
    expect(await owner.data(`/audit-log/${entry?.id}`)).toEqual(entry);
    const by = await owner.data(`/audit-log?actor_id=${entry?.actor_id}&entity_id=${id}`);
    expect(by).toEqual([entry]);
    expect(await owner.data(`/audit-log?entity_id=${id}&to=2020-01-01T00:00:00Z`)).toEqual([]);
  });
});
