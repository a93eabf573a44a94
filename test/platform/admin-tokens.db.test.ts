// Bearer tokens of the admin API: how they are kept, found and ended (licensing 4.1, D19b, M10).
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addSeconds } from '#kernel/clock.ts';
import * as adminTokens from '#platform/admin-tokens/index.ts';
import {
  PERMISSIONS,
  type Permission,
  permissionsOf,
  permits,
  ROLES,
  rolesWith,
} from '#platform/permissions/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { changesBy, nothing } from '../support/database-changes.ts';
import { refusalOf } from '../support/refusal.ts';

let at: TestContext;
beforeAll(async () => {
  at = await openTestContext();
});
afterAll(() => at.close());

const input = (extra: Partial<adminTokens.AdminTokenInput> = {}) => ({
  name: 'ci',
  role: 'viewer',
  ...extra,
});
const stored = (id: string) => at.database.db.knex('admin_tokens').where({ id }).first();

describe('create', () => {
  it('keeps a keyed hash and the first 8 characters, and tells the secret once', async () => {
    const { adminToken, secret } = await adminTokens.create(at.ctx, input({ name: '  ci  ' }));
    expect(secret).toMatch(/^adm_[A-Za-z0-9_-]{43}$/);
    const row = await stored(adminToken.id);
    expect(row).toMatchObject({ token_hash: at.ctx.keyring.digest('api-key', secret), name: 'ci' });
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(adminToken).toEqual({
      id: expect.stringMatching(/^adt_[0-9A-Z]{26}$/),
      name: 'ci',
      role: 'viewer',
      tenantId: at.ctx.tenantId,
      scopes: null,
      adminUserId: null,
      prefix: secret.slice(0, 8),
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      createdAt: at.ctx.now(),
    });
    expect(await adminTokens.get(at.ctx, adminToken.id)).toEqual(adminToken);
    const data = { name: 'ci', role: 'viewer', tenantId: at.ctx.tenantId, expiresAt: null };
    expect(await at.eventsOf(adminToken.id)).toEqual([{ type: 'ADMIN_TOKEN_CREATED', data }]);
  });

  it.each([
    ['1 character', { name: 'x' }],
    ['100 characters', { name: '🔑'.repeat(100) }],
    ['a name that a prototype has', { name: '__proto__' }],
    ['an end in a millisecond', { expiresAt: '2026-03-01T12:00:00.001Z' }],
  ])('takes %s', async (_what, extra) => {
    const { adminToken } = await adminTokens.create(at.ctx, input(extra));
    expect(adminToken).toMatchObject(extra);
  });

  it.each([
    ['no name', { name: ' ' }, 'name'],
    ['101 characters', { name: 'x'.repeat(101) }, 'name'],
    ['U+0000', { name: 'a\0' }, 'name'],
    ['a lone surrogate', { name: 'a\ud800' }, 'name'],
    ['an unknown role', { role: 'root' }, 'role'],
    ['a role that a prototype has', { role: 'constructor' }, 'role'],
    ['an end now', { expiresAt: '2026-03-01T12:00:00.000Z' }, 'expiresAt'],
  ])('refuses %s and stores nothing', async (_what, extra, path) => {
    const { result, changes } = await changesBy(at.database, () =>
      refusalOf(adminTokens.create(at.ctx, input(extra))),
    );
    expect(result).toMatchObject({ code: 'VALIDATION_ERROR', details: { issues: [{ path }] } });
    expect(changes).toEqual(nothing);
  });
});

describe('authenticate', () => {
  it('finds the bearer, of a tenant or of the whole installation', async () => {
    const own = await adminTokens.create(at.ctx, input());
    const wide = await adminTokens.create(at.ctx, input({ isInstanceWide: true, role: 'owner' }));
    const { id } = own.adminToken;
    const { tenantId } = at.ctx;
    expect(await adminTokens.authenticate(at.ctx, own.secret)).toEqual({
      id,
      label: 'ci',
      userId: null,
      passwordProvenAt: null,
      owes: null,
      roles: ['viewer'],
      permissions: permissionsOf('viewer'),
      scopes: {},
      tenantId,
    });
    expect(await adminTokens.authenticate(at.ctx, wide.secret)).toMatchObject({
      roles: ['owner'],
      tenantId: null,
    });
  });

  it.each(['', 'adm_', `adm_${'A'.repeat(43)}`, 'x'.repeat(201), '\u00ff'])(
    'knows nobody of %j',
    async (secret) => {
      expect(await adminTokens.authenticate(at.ctx, secret)).toBe('UNKNOWN');
    },
  );

  it('ends at the end, not before', async () => {
    const expiresAt = addSeconds(at.ctx.now(), 60);
    const { adminToken, secret } = await adminTokens.create(at.ctx, input({ expiresAt }));
    at.clock.advance(59.999);
    expect(await adminTokens.authenticate(at.ctx, secret)).toMatchObject({ id: adminToken.id });
    at.clock.advance(0.001);
    expect(await adminTokens.authenticate(at.ctx, secret)).toBe('EXPIRED');
    await adminTokens.revoke(at.ctx, adminToken.id);
    expect(await adminTokens.authenticate(at.ctx, secret)).toBe('REVOKED');
  });

  it('notes its use at most once a minute, and a refused one not at all', async () => {
    const { adminToken, secret } = await adminTokens.create(at.ctx, input());
    const used = async () => (await stored(adminToken.id)).last_used_at;
    const first = at.ctx.now();
    await adminTokens.authenticate(at.ctx, secret);
    await vi.waitFor(async () => expect(await used()).toBe(first));
    at.clock.advance(59);
    await adminTokens.authenticate(at.ctx, secret);
    // The write is behind: another one that it would have to wait for goes through first.
    await at.ctx.tx(async () => undefined);
    expect(await used()).toBe(first);
    at.clock.advance(1);
    const second = at.ctx.now();
    await adminTokens.authenticate(at.ctx, secret);
    await vi.waitFor(async () => expect(await used()).toBe(second));
    await adminTokens.revoke(at.ctx, adminToken.id);
    at.clock.advance(3600);
    await adminTokens.authenticate(at.ctx, secret);
    await at.ctx.tx(async () => undefined);
    expect(await used()).toBe(second);
  });
});

describe('list, get and revoke', () => {
  it('show the tokens that open the tenant: its own and those of the installation', async () => {
    const other = await at.otherTenant();
    const own = (await adminTokens.create(other, input({ name: 'own' }))).adminToken;
    const wide = (await adminTokens.create(at.ctx, input({ name: 'wide', isInstanceWide: true }))).adminToken;
    const foreign = (await adminTokens.create(at.ctx, input({ name: 'foreign' }))).adminToken;
    const { items, total } = await adminTokens.adminTokenRows.page(other, { offset: 0, limit: 500 });
    const seen = items.map(({ id }) => id);
    expect(seen).toEqual(expect.arrayContaining([own.id, wide.id]));
    expect(seen).not.toContain(foreign.id);
    const slug = items.find(({ id }) => id === own.id)?.tenant;
    expect(slug).toMatch(/./);
    expect(items.every(({ tenant }) => tenant === null || tenant === slug)).toBe(true);
    expect(total).toBe(items.length);
    expect((await adminTokens.adminTokenRows.page(other, { offset: 1, limit: 1 })).items).toEqual([items[1]]);
    const unknown = { code: 'NOT_FOUND' };
    const { result, changes } = await changesBy(at.database, async () => [
      await refusalOf(adminTokens.get(other, foreign.id)),
      await refusalOf(adminTokens.revoke(other, foreign.id)),
      await refusalOf(adminTokens.revoke(other, 'adt_nope')),
    ]);
    expect(result).toEqual([
      expect.objectContaining(unknown),
      expect.objectContaining(unknown),
      expect.objectContaining(unknown),
    ]);
    expect(changes).toEqual(nothing);
  });

  it('who is confined to products sees its own token and those that it signed in with', async () => {
    const actor = { kind: 'admin', label: 'x', scopes: { license_product: [] } } as const;
    const own = (await adminTokens.create(at.ctx, input({ name: 'own' }))).adminToken;
    const account = { id: 'usr_00000000000000000000000009', email: 'x@x.test', generation: 0 };
    const login = { name: 'laptop', ttlSeconds: 60 };
    const { adminToken } = await adminTokens.createLoginToken(at.ctx, account, login);
    const seenBy = async (id: string) =>
      (
        await adminTokens.adminTokenRows.page(at.ctx.with({ actor: { ...actor, id } }), {
          offset: 0,
          limit: 500,
        })
      ).items;
    expect(await seenBy(own.id)).toEqual([expect.objectContaining({ id: own.id, name: 'own' })]);
    expect(await seenBy(account.id)).toEqual([expect.objectContaining({ id: adminToken.id })]);
  });

  it('revoke ends a token at once, and again changes nothing', async () => {
    const { adminToken, secret } = await adminTokens.create(at.ctx, input({ role: 'owner' }));
    at.clock.advance(1);
    const revoked = await adminTokens.revoke(at.ctx, adminToken.id);
    expect(revoked).toEqual({ ...adminToken, revokedAt: at.ctx.now() });
    at.clock.advance(1);
    expect(await adminTokens.revoke(at.ctx, adminToken.id)).toEqual(revoked);
    expect(await adminTokens.authenticate(at.ctx, secret)).toBe('REVOKED');
    expect((await at.eventsOf(adminToken.id)).map(({ type }) => type)).toEqual([
      'ADMIN_TOKEN_CREATED',
      'ADMIN_TOKEN_REVOKED',
    ]);
  });
});

describe('roles (admin.md 6.2)', () => {
  const table: Record<string, Permission[]> = {
    owner: [...PERMISSIONS],
    manager: [
      'products:write',
      'orders:write',
      'orders:refund',
      'payouts:read',
      'licensing:read',
      'licensing:write',
      'audit:read',
      'system:read',
    ],
    fulfilment: ['orders:write'],
    support: ['orders:write', 'orders:refund', 'licensing:read', 'licensing:write'],
    catalogue: ['products:write'],
    marketing: [],
    accountant: ['payouts:read', 'payouts:write', 'audit:read'],
    licensing: ['licensing:read', 'licensing:write', 'licensing:secrets'],
    viewer: ['payouts:read', 'licensing:read', 'system:read'],
    vendor: ['products:write', 'licensing:read', 'licensing:write'],
  };
  const asked: Permission[] = [
    'products:write',
    'orders:write',
    'orders:refund',
    'payouts:read',
    'payouts:write',
    'licensing:read',
    'licensing:write',
    'licensing:secrets',
    'licensing:danger',
    'api_keys:read',
    'users:read',
    'roles:write',
    'audit:read',
    'system:read',
    'system:danger',
  ];

  it('every role has its row here', () => expect(Object.keys(table)).toEqual(ROLES));

  it.each(Object.entries(table))('%s may %j and nothing else of it', (role, held) => {
    const may = asked.filter((permission) => permits(role, permission));
    expect(may).toEqual(role === 'owner' ? asked : held);
  });

  it('an unknown role may do nothing', () => {
    for (const role of ['', 'root', '__proto__', 'toString'])
      expect(permits(role, 'licensing:read')).toBe(false);
  });

  it('names the roles that may do something', () => {
    expect(rolesWith('licensing:secrets')).toEqual(['owner', 'licensing']);
    expect(rolesWith('orders:refund')).toEqual(['owner', 'manager', 'support']);
  });
});
