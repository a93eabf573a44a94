// Own roles, what users and their tokens hold, and that nobody gives what they lack (admin.md 6.1, 6.2).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Actor, Scopes } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import * as accounts from '#platform/accounts/index.ts';
import * as adminTokens from '#platform/admin-tokens/index.ts';
import { PERMISSIONS, permissionsOf } from '#platform/permissions/index.ts';
import * as roles from '#platform/roles/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { refusalOf } from '../support/refusal.ts';

let app: TestApp;
let cli: Ctx;
let count = 0;
beforeAll(async () => {
  app = await startApp();
  cli = app.ctx.with({ actor: { kind: 'cli', id: null, label: 'root' } });
});
afterAll(() => app.close());

const as = (role: string, scopes: Scopes = {}, more: Partial<Actor> = {}): Ctx =>
  app.ctx.with({
    actor: { kind: 'staff', id: 'usr_x', label: role, permissions: permissionsOf(role), scopes, ...more },
  });
const user = (...names: string[]) => {
  count += 1;
  return accounts.create(cli, {
    email: `person${count}@x.test`,
    password: 'correct horse battery',
    roles: names,
  });
};
/** What was refused, and that nothing changed. */
async function refused(work: () => Promise<unknown>): Promise<unknown[]> {
  const { result, changes } = await app.changesBy(() => refusalOf(work()));
  expect(changes).toEqual(nothing);
  return [result.code, result.details.reason];
}

describe('roles of the installation itself', () => {
  it('are made, changed and deleted, each with a row of the audit log', async () => {
    const { result: made, changes } = await app.changesBy(() =>
      roles.create(cli, { name: 'night-shift', permissions: ['licensing:read', 'orders:read'] }),
    );
    expect(made).toMatchObject({ name: 'night-shift', isSystem: false, users: 0, tokens: 0 });
    expect(made.permissions).toEqual(['orders:read', 'licensing:read']);
    expect(changes).toEqual({ events: ['ROLE_CREATED'], rows: { roles: '+1', role_permissions: '+2' } });
    const after = await roles.update(cli, 'night-shift', { permissions: ['audit:read'], name: 'night' });
    expect(after).toMatchObject({ id: made.id, name: 'night', permissions: ['audit:read'] });
    const again = await app.changesBy(() => roles.update(cli, 'night', { permissions: ['audit:read'] }));
    expect(again.changes).toEqual(nothing);
    expect(await roles.get(cli, made.id)).toEqual(after);
    await roles.remove(cli, 'night');
    expect(await refused(() => roles.get(cli, 'night'))).toEqual(['NOT_FOUND', undefined]);
  });

  it('the list begins with the system roles, and every one holds what the program says', async () => {
    const listed = (await roles.roleRows.page(cli, { offset: 0, limit: 50 })).items.filter(
      ({ isSystem }) => isSystem,
    );
    expect(listed).toHaveLength(10);
    for (const { name, permissions } of listed) expect(permissions).toEqual(permissionsOf(name));
  });

  it('nobody makes a role that holds more than they do, and takes a permission away without holding it', async () => {
    const input = { name: 'helpers', permissions: ['licensing:write', 'audit:read'] as const };
    const mine = { ...input, permissions: [...input.permissions] };
    expect(await refused(() => roles.create(as('support'), mine))).toEqual([
      'INSUFFICIENT_SCOPE',
      'NOT_HELD',
    ]);
    const made = await roles.create(cli, mine);
    expect(
      await refused(() =>
        roles.update(as('support'), made.id, { permissions: ['system:danger', 'licensing:write'] }),
      ),
    ).toEqual(['INSUFFICIENT_SCOPE', 'NOT_HELD']);
    const less = await roles.update(as('support'), made.id, { permissions: ['licensing:read'] });
    expect(less.permissions).toEqual(['licensing:read']);
    await roles.remove(cli, made.id);
  });

  it.each([
    ['an unknown permission', { name: 'one', permissions: ['licensing:everything'] }],
    ['a name with a blank', { name: 'a b', permissions: [] }],
    ['a field that there is not', { name: 'one', permissions: [], isSystem: true }],
  ])('%s is refused', async (_what, input) => {
    expect(await refused(() => roles.create(cli, input as never))).toEqual(['VALIDATION_ERROR', undefined]);
  });

  it('a taken name, a system role and a held one: 409', async () => {
    expect(await refused(() => roles.create(cli, { name: 'owner', permissions: [] }))).toEqual([
      'CONFLICT',
      'DUPLICATE',
    ]);
    expect(await refused(() => roles.update(cli, 'viewer', { permissions: [] }))).toEqual([
      'CONFLICT',
      undefined,
    ]);
    expect(await refused(() => roles.remove(cli, 'viewer'))).toEqual(['CONFLICT', undefined]);
    const held = await roles.create(cli, { name: 'held', permissions: ['licensing:read'] });
    const { id } = await user('held');
    const { adminToken } = await adminTokens.create(cli, { name: 'ci', role: 'held' });
    expect(await roles.get(cli, held.id)).toMatchObject({ users: 1, tokens: 1 });
    expect(await refused(() => roles.remove(cli, 'held'))).toEqual(['CONFLICT', undefined]);
    expect(await refused(() => roles.update(cli, 'held', { name: 'other' }))).toEqual([
      'CONFLICT',
      undefined,
    ]);
    await accounts.remove(cli, id);
    expect(await refused(() => roles.remove(cli, 'held'))).toEqual(['CONFLICT', undefined]);
    await adminTokens.revoke(cli, adminToken.id);
    await roles.remove(cli, 'held');
  });
});

describe('users', () => {
  let owner: Awaited<ReturnType<typeof user>>;
  beforeAll(async () => {
    owner = await user('owner');
  });
  let one: Awaited<ReturnType<typeof user>>;
  beforeEach(async () => {
    one = await user('viewer');
  });

  it('hold other roles from now on', async () => {
    const { result, changes } = await app.changesBy(() =>
      accounts.setRoles(as('owner'), one.email, ['support', 'licensing', 'support']),
    );
    expect(result.roles).toEqual(['licensing', 'support']);
    expect(changes).toEqual({ events: ['USER_ROLES_CHANGED'], rows: { admin_user_roles: '+2 -1' } });
    expect((await roles.heldBy(cli, one.id)).permissions).toContain('orders:refund');
    const same = await app.changesBy(() => accounts.setRoles(cli, one.id, ['licensing', 'support']));
    expect(same.changes).toEqual(nothing);
  });

  it('are confined to rows that exist, and to all of them again', async () => {
    const { id } = await app.product({ slug: `p${count}` });
    const scoped = await accounts.setScopes(cli, one.id, { license_product: [id, id] });
    expect(scoped.scopes).toEqual([{ kind: 'license_product', refId: id }]);
    const unknown = { license_product: ['prd_01J9ZK3T5W8Y2QF4M6N7P0R1SV'] };
    expect(await refused(() => accounts.setScopes(cli, one.id, unknown))).toEqual(['NOT_FOUND', undefined]);
    const vendor = { vendor: ['ven_01J9ZK3T5W8Y2QF4M6N7P0R1SV'] };
    expect(await refused(() => accounts.setScopes(cli, one.id, vendor))).toEqual(['NOT_FOUND', undefined]);
    expect(await refused(() => accounts.setScopes(cli, one.id, { owner: [] } as never))).toEqual([
      'VALIDATION_ERROR',
      undefined,
    ]);
    expect((await accounts.setScopes(cli, one.id, { license_product: [] })).scopes).toEqual([]);
  });

  it('nobody gives permissions or rows that they lack', async () => {
    const mine = await app.product({ slug: `mine${count}` });
    const other = await app.product({ slug: `other${count}` });
    const manager = as('manager', { license_product: [mine.id] });
    await accounts.setScopes(cli, one.id, { license_product: [mine.id] });
    expect(await refused(() => accounts.setRoles(manager, one.id, ['owner']))).toEqual([
      'INSUFFICIENT_SCOPE',
      'NOT_HELD',
    ]);
    expect(await refused(() => accounts.setScopes(manager, one.id, {}))).toEqual([
      'INSUFFICIENT_SCOPE',
      'SCOPE_NEEDED',
    ]);
    expect(await refused(() => accounts.setScopes(manager, one.id, { license_product: [other.id] }))).toEqual(
      ['NOT_FOUND', undefined],
    );
    const token = { name: 'ci', role: 'manager', productIds: [mine.id] };
    expect((await adminTokens.create(manager, token)).adminToken.scopes).toEqual({
      license_product: [mine.id],
    });
    for (const [more, code] of [
      [{ productIds: null }, 'INSUFFICIENT_SCOPE'],
      [{ productIds: [other.id] }, 'NOT_FOUND'],
      [{ role: 'owner' }, 'INSUFFICIENT_SCOPE'],
      [{ role: 'nobody' }, 'VALIDATION_ERROR'],
    ] as const)
      expect((await refused(() => adminTokens.create(manager, { ...token, ...more })))[0]).toBe(code);
    const ofTenant = as('owner', { tenant: [app.ctx.tenantId] });
    const wide = { name: 'ci', role: 'viewer', isInstanceWide: true };
    expect(await refused(() => adminTokens.create(ofTenant, wide))).toEqual([
      'INSUFFICIENT_SCOPE',
      'SCOPE_NEEDED',
    ]);
  });

  it('a product of another tenant is unknown to a token of one tenant, and to who is confined to one', async () => {
    const foreign = { license_product: [(await app.product({}, await app.otherTenant())).id] };
    const token = { name: 'ci', role: 'viewer', productIds: foreign.license_product };
    expect(await refused(() => adminTokens.create(cli, token))).toEqual(['NOT_FOUND', undefined]);
    const wide = await adminTokens.create(cli, { ...token, isInstanceWide: true });
    expect(wide.adminToken.scopes).toEqual(foreign);
    const tenant = [app.ctx.tenantId];
    await accounts.setScopes(cli, one.id, { tenant });
    const confined = as('owner', { tenant });
    expect(await refused(() => accounts.setScopes(confined, one.id, { ...foreign, tenant }))).toEqual([
      'NOT_FOUND',
      undefined,
    ]);
    const owned = { license_product: [(await app.product()).id], tenant };
    expect((await accounts.setScopes(confined, one.id, owned)).scopes).toHaveLength(2);
  });

  it('who may do more, or sees more rows, is not theirs to change', async () => {
    const { id } = await app.product({ slug: `few${count}` });
    for (const change of [
      (ctx: Ctx) => accounts.disable(ctx, owner.id),
      (ctx: Ctx) => accounts.remove(ctx, owner.id),
      (ctx: Ctx) => accounts.setRoles(ctx, owner.id, []),
      (ctx: Ctx) => accounts.setScopes(ctx, owner.id, {}),
    ]) {
      expect(await refused(() => change(as('manager')))).toEqual(['INSUFFICIENT_SCOPE', 'NOT_HELD']);
      expect(await refused(() => change(as('owner', { license_product: [id] })))).toEqual([
        'NOT_FOUND',
        undefined,
      ]);
    }
    const confined = as('owner', { license_product: [id] });
    expect(await accounts.staffRows.page(confined, { offset: 0, limit: 50 })).toEqual({
      items: [],
      total: 0,
    });
    await accounts.setScopes(cli, one.id, { license_product: [id] });
    expect(
      (await accounts.staffRows.page(confined, { offset: 0, limit: 50 })).items.map((it) => it.id),
    ).toEqual([one.id]);
  });

  it('the last active owner of every row stays', async () => {
    const product = await app.product({ slug: `last${count}` });
    const scopes = { license_product: [product.id] };
    const attempts = [
      () => accounts.disable(cli, owner.id),
      () => accounts.remove(cli, owner.id),
      () => accounts.setRoles(cli, owner.id, ['manager']),
      () => accounts.setScopes(cli, owner.id, scopes),
    ];
    const others = [
      ['one who is disabled', () => accounts.disable(cli, one.id)],
      ['one of some rows', () => accounts.setScopes(cli, one.id, scopes)],
    ] as const;
    for (const attempt of attempts) expect(await refused(attempt)).toEqual(['CONFLICT', undefined]);
    for (const [, weaken] of others) {
      await accounts.setRoles(cli, one.id, ['owner']);
      await weaken();
      for (const attempt of attempts) expect(await refused(attempt)).toEqual(['CONFLICT', undefined]);
      await accounts.enable(cli, one.id);
    }
    await accounts.setScopes(cli, one.id, {});
    expect((await accounts.setRoles(cli, owner.id, ['manager'])).roles).toEqual(['manager']);
    expect(await refused(() => accounts.disable(cli, one.id))).toEqual(['CONFLICT', undefined]);
    await accounts.setRoles(cli, owner.id, ['owner']);
    await accounts.remove(cli, one.id);
  });

  it('disabling is done once, and undone', async () => {
    expect((await accounts.disable(cli, one.id)).status).toBe('disabled');
    expect((await app.changesBy(() => accounts.disable(cli, one.id))).changes).toEqual(nothing);
    expect((await accounts.enable(cli, one.id)).status).toBe('active');
    expect((await app.changesBy(() => accounts.enable(cli, one.id))).changes).toEqual(nothing);
  });
});

describe('login tokens', () => {
  const begin = async (...names: string[]) => {
    const { id, email } = await user(...names);
    const { secret, adminToken } = await adminTokens.createLoginToken(
      app.ctx,
      { id, email, generation: 0 },
      { name: 'laptop', ttlSeconds: 3600 },
    );
    return { id, email, secret, adminToken };
  };
  const opens = (secret: string) => adminTokens.authenticate(app.ctx, secret);

  it('hold what their user does at each moment', async () => {
    const { id, email, secret, adminToken } = await begin('viewer');
    const product = await app.product({ slug: `login${count}` });
    expect(await opens(secret)).toMatchObject({
      id: adminToken.id,
      label: email,
      userId: id,
      roles: ['viewer'],
      scopes: {},
      passwordProvenAt: adminToken.createdAt,
    });
    await roles.create(cli, { name: `own${count}`, permissions: ['audit:read'] });
    await accounts.setRoles(cli, id, [`own${count}`]);
    await accounts.setScopes(cli, id, { license_product: [product.id] });
    expect(await opens(secret)).toMatchObject({
      permissions: ['audit:read'],
      scopes: { license_product: [product.id] },
    });
    await accounts.setRoles(cli, id, ['vendor']);
    await accounts.setScopes(cli, id, {});
    expect(await opens(secret)).toMatchObject({ scopes: { license_product: [], vendor: [] } });
  });

  it.each([
    ['revoking', ({ adminToken }: { adminToken: { id: string } }) => adminTokens.revoke(cli, adminToken.id)],
    ['disabling', ({ id }: { id: string }) => accounts.disable(cli, id)],
    ['deleting', ({ id }: { id: string }) => accounts.remove(cli, id)],
    [
      'a new password',
      ({ id }: { id: string }) => accounts.resetPassword(cli, id, { password: 'another horse battery' }),
    ],
  ])('end with %s', async (_what, end) => {
    const login = await begin('viewer');
    await end(login as never);
    expect(await opens(login.secret)).toBe('REVOKED');
    if (_what === 'disabling') {
      await accounts.enable(cli, login.id);
      expect(await opens(login.secret)).toBe('REVOKED');
    }
  });

  it('that may do more are not theirs to end, nor are other tokens', async () => {
    const strong = [(await begin('owner')).adminToken.id, (await app.adminToken('owner')).id];
    for (const id of strong)
      expect(await refused(() => adminTokens.revoke(as('manager'), id))).toEqual([
        'INSUFFICIENT_SCOPE',
        'NOT_HELD',
      ]);
    const weak = [(await begin('manager')).adminToken.id, (await app.adminToken('manager')).id];
    for (const id of weak)
      expect((await adminTokens.revoke(as('manager'), id)).revokedAt).toBe(app.ctx.now());
    // Whoever holds a token may end it, whatever became of their rights.
    const { id, adminToken } = await begin('owner');
    const own = app.ctx.with({ actor: { kind: 'admin', id, label: 'x', tokenId: adminToken.id } });
    expect((await adminTokens.revoke(own, adminToken.id)).revokedAt).toBe(app.ctx.now());
  });

  it('end at their end', async () => {
    const { secret } = await begin('owner');
    app.clock.advance(3600);
    expect(await opens(secret)).toBe('EXPIRED');
  });

  it('hold every permission for an owner', async () => {
    const { secret } = await begin('owner');
    const bearer = await opens(secret);
    const actor = { ...(bearer as adminTokens.Bearer), kind: 'admin' } as Actor;
    const ctx = app.ctx.with({ actor });
    const made = await roles.create(ctx, { name: `all${count}`, permissions: [...PERMISSIONS] });
    expect(made.permissions).toEqual(PERMISSIONS);
  });
});
