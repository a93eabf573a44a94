// Roles, and who holds them, from a terminal (cli.md 3.9, admin.md 6.2, 6.3).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create as createAccount } from '#platform/accounts/index.ts';
import type { StaffView } from '#platform/accounts/view.ts';
import type { AdminTokenView } from '#platform/admin-tokens/view.ts';
import type { RoleView } from '#platform/roles/view.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
  const instance = await it.open();
  const password = 'correct horse battery';
  await createAccount(instance.ctx, { email: 'ann@x.test', password, roles: ['viewer'] });
  await instance.close();
  await it.json(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
});
afterAll(() => it.remove());

const role = (...words: string[]) => it.json<RoleView>(['admin', 'role', ...words]);
const user = (...words: string[]) => it.json<StaffView>(['admin', 'user', ...words, '--yes']);

describe('admin role', () => {
  test('is created, granted, denied and deleted', async () => {
    expect(await role('create', 'night', '--permission', 'licensing:read')).toMatchObject({
      name: 'night',
      isSystem: false,
      permissions: ['licensing:read'],
    });
    expect((await role('grant', 'night', 'orders:refund', 'audit:read')).permissions).toEqual([
      'orders:refund',
      'licensing:read',
      'audit:read',
    ]);
    expect((await role('deny', 'night', 'audit:read')).permissions).toEqual([
      'orders:refund',
      'licensing:read',
    ]);
    expect((await role('show', 'night')).users).toBe(0);
    const plan = await role('delete', 'night', '--dry-run');
    expect(plan).toMatchObject({ name: 'night', dryRun: true });
    await role('delete', 'night', '--yes');
    const { items } = await it.answer<{ items: RoleView[] }>(['admin', 'role', 'list']);
    expect(items.map(({ name }) => name)).toEqual([
      'owner',
      'manager',
      'fulfilment',
      'support',
      'catalogue',
      'marketing',
      'accountant',
      'licensing',
      'viewer',
      'vendor',
    ]);
  });

  test.each([
    [['show', 'nobody'], 3, 'role nobody was not found'],
    [['grant', 'owner', 'audit:read'], 5, 'owner is a system role and cannot change'],
    [['create', 'Night Shift'], 2, 'name'],
    [['create', 'night', '--permission', 'everything'], 2, '"everything" is not a permission'],
    [['delete', 'viewer', '--yes'], 5, 'viewer is a system role and cannot change'],
  ])('%j is refused', async (words, code, text) => {
    const run = await it.inside(['admin', 'role', ...words]);
    expect([run.code, run.stdout]).toEqual([code, '']);
    expect(run.stderr).toContain(text);
  });
});

describe('admin user', () => {
  test('set-role and set-scope replace what the account holds', async () => {
    expect((await user('set-role', 'ann@x.test', '--role', 'support', '--role', 'marketing')).roles).toEqual([
      'marketing',
      'support',
    ]);
    expect((await user('set-role', 'ann@x.test')).roles).toEqual([]);
    const scoped = await user('set-scope', 'ann@x.test', '--product', 'editor', '--of-tenant', 'default');
    expect(scoped.scopes.map(({ kind }) => kind)).toEqual(['license_product', 'tenant']);
    expect((await user('set-scope', 'ann@x.test')).scopes).toEqual([]);
  });

  test('an unknown role, product and account are refused', async () => {
    for (const words of [
      ['set-role', 'ann@x.test', '--role', 'nobody'],
      ['set-scope', 'ann@x.test', '--product', 'nothing'],
      ['set-role', 'nobody@x.test', '--role', 'viewer'],
    ])
      expect((await it.inside(['admin', 'user', ...words, '--yes'])).code).toBe(3);
  });
});

test('admin token create confines a token to products, and takes a role of your own', async () => {
  await role('create', 'shop', '--permission', 'licensing:write');
  const create = ['admin', 'token', 'create', '--name', 'shop', '--role'];
  const token = await it.json<AdminTokenView>([...create, 'shop', '--product', 'editor']);
  expect(token).toMatchObject({ role: 'shop', productIds: [expect.stringMatching(/^prd_/)], userId: null });
  const bare = await it.inside([...create, 'vendor', '--reveal']);
  expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining('--product')]);
  expect((await it.inside([...create, 'nobody', '--reveal'])).code).toBe(2);
  const held = await it.inside(['admin', 'role', 'delete', 'shop', '--yes']);
  expect([held.code, held.stderr]).toEqual([5, expect.stringContaining('held by 1 admin token')]);
});
