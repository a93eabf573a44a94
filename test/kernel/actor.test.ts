// Who may do what, as far as the kernel knows.
import { describe, expect, it } from 'vitest';
import { type Actor, allows, GUEST, type Permissions, SYSTEM } from '#kernel/actor.ts';

const staff = (permissions: Permissions): Actor => ({
  kind: 'staff',
  id: 'adm_1',
  label: 'Ada',
  permissions,
});

describe('an actor may', () => {
  it.each<[Permissions, string, boolean]>([
    ['all', 'system:danger', true],
    [['system:read'], 'system:read', true],
    [['system:write'], 'system:read', true],
    [['system:read'], 'system:write', false],
    [['system:danger'], 'system:read', false],
    [['licensing:write'], 'system:read', false],
    [[], 'system:read', false],
  ])('with %j do %s: %s', (permissions, needed, expected) => {
    expect(allows(staff(permissions), needed)).toBe(expected);
  });

  it('do everything on the machine itself, and nothing as a guest, customer or program', () => {
    for (const kind of ['cli', 'job'] as const)
      expect(allows({ kind, id: null, label: null }, 'system:danger')).toBe(true);
    expect(allows(SYSTEM, 'system:danger')).toBe(true);
    for (const kind of ['customer', 'api_key', 'portal', 'admin', 'staff'] as const)
      expect(allows({ kind, id: 'x', label: null }, 'system:read')).toBe(false);
    expect(allows(GUEST, 'system:read')).toBe(false);
  });
});
