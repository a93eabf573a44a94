import type { Knex } from 'knex';
import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** The system roles that the first migration did not make; what they hold stands in the program. */
const SYSTEM_ROLES = [
  'manager',
  'fulfilment',
  'support',
  'catalogue',
  'marketing',
  'accountant',
  'licensing',
  'viewer',
  'vendor',
];
const AT = '2026-01-01T00:00:00.000Z';

/** Own roles, the rows that staff and tokens are confined to, and tokens of people who signed in (admin.md 6.3). */
export const m0015RolesAndScopes: Migration = {
  name: '0015-roles-and-scopes',
  async up(knex, dialect) {
    await knex('roles').insert(SYSTEM_ROLES.map(systemRole));
    await createTable(knex, dialect, 'role_permissions', (c, t) => {
      c.reference('role_id', 'roles', 'CASCADE').notNullable();
      c.text('permission').notNullable();
      t.primary(['role_id', 'permission']);
    });
    await createTable(knex, dialect, 'admin_user_scopes', (c, t) => {
      c.reference('admin_user_id', 'admin_users', 'CASCADE').notNullable();
      c.choice('kind', ['tenant', 'license_product', 'vendor']).notNullable();
      c.text('ref_id').notNullable();
      t.primary(['admin_user_id', 'kind', 'ref_id']);
    });
    await extendTokens(knex, dialect);
  },
  async down(knex) {
    await knex.schema.dropTable('admin_user_scopes');
    await knex.schema.dropTable('role_permissions');
    await knex('admin_user_roles').whereNot('role_id', 'rol_00000000000000000000000001').delete();
    await knex('roles').whereNot('name', 'owner').delete();
    await knex.raw('DROP INDEX admin_tokens_of_user');
    for (const column of ['scopes', 'admin_user_id', 'admin_generation', 'password_proven_at'])
      await knex.raw('ALTER TABLE admin_tokens DROP COLUMN ??', [column]);
  },
};

const systemRole = (name: string, index: number) => ({
  id: `rol_${String(index + 2).padStart(26, '0')}`,
  name,
  is_system: true,
  created_at: AT,
  updated_at: AT,
});

/**
 * A token of somebody who signed in names its user, without a foreign key: a revoked token outlives who is deleted. It
 * ends when the user has another generation than `admin_generation`.
 */
async function extendTokens(knex: Knex, dialect: DialectName): Promise<void> {
  await knex.schema.alterTable('admin_tokens', (t) => {
    const c = columnsOf(t, dialect);
    c.json('scopes');
    c.text('admin_user_id');
    t.integer('admin_generation');
    c.time('password_proven_at');
  });
  await knex.raw(
    'CREATE INDEX admin_tokens_of_user ON admin_tokens (admin_user_id) WHERE admin_user_id IS NOT NULL',
  );
}
