import type { Knex } from 'knex';
import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

const LICENSE_TYPES = ['PERPETUAL', 'SUBSCRIPTION', 'TRIAL', 'BETA', 'FLOATING'];

/** Tenants, key formats, policies, products, signing keys and customers (licensing section 8.2). */
export const m0002LicensingCatalog: Migration = {
  name: '0002-licensing-catalog',
  async up(knex, dialect) {
    await createTenants(knex, dialect);
    await createKeyFormats(knex, dialect);
    await createPolicies(knex, dialect);
    await createProducts(knex, dialect);
    await createSigningKeys(knex, dialect);
    await createCustomers(knex, dialect);
  },
  async down(knex) {
    const tables = ['customers', 'signing_keys', 'products', 'policies', 'key_formats', 'tenants'];
    for (const table of tables) await knex.schema.dropTable(`license_${table}`);
  },
};

/** The tenant `default` always exists; its id is fixed, so that every installation has the same one (D132). */
async function createTenants(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_tenants', (c) => {
    c.id().primary();
    c.text('slug').notNullable().unique();
    c.text('name').notNullable();
    c.json('hostnames').notNullable();
    c.choice('status', ['ACTIVE', 'SUSPENDED']).notNullable();
    c.text('default_key_format_id');
    c.updated();
  });
  await knex('license_tenants').insert({
    id: 'ten_00000000000000000000000001',
    slug: 'default',
    name: 'Default',
    hostnames: '[]',
    status: 'ACTIVE',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  });
}

async function createKeyFormats(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_key_formats', (c, t) => {
    c.id().primary();
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.text('name').notNullable();
    c.text('prefix').notNullable();
    c.int('segments', 4, 20).notNullable();
    c.int('segment_length', 4, 4).notNullable();
    c.choice('alphabet', ['CROCKFORD32', 'HEX', 'ALNUM36']).notNullable();
    c.choice('checksum', ['NONE', 'LUHN']).notNullable();
    c.updated();
    t.unique(['tenant_id', 'name']);
  });
}

async function createPolicies(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_policies', (c, t) => {
    c.id().primary();
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.text('name').notNullable();
    c.int('heartbeat_interval', 1, 43_200);
    c.choice('heartbeat_cull_strategy', ['DEACTIVATE_DEAD', 'SUSPEND_LICENSE', 'NO_ACTION']).notNullable();
    c.int('default_lease_duration', 60, 2_592_000);
    c.json('entitlements');
    c.int('grace_period_seconds', 0, 31_536_000).notNullable();
    c.int('default_duration_days', 1, 36_600);
    c.big('max_uses', 0);
    c.text('max_version');
    c.int('max_deactivations', 0);
    c.int('deactivation_window_days', 1);
    c.int('offline_max_ttl_seconds', 0, 34_560_000);
    c.choice('trial_reuse', ['ALLOW', 'FLAG', 'BLOCK']).notNullable();
    c.choice('abuse_action', ['NONE', 'SUSPEND']).notNullable();
    c.updated();
    t.unique(['tenant_id', 'name']);
    t.check('(max_deactivations IS NULL) = (deactivation_window_days IS NULL)');
  });
}

async function createProducts(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_products', (c, t) => {
    c.id().primary();
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.text('name').notNullable();
    c.text('slug').notNullable();
    c.choice('type', ['DESKTOP', 'WEB', 'MOBILE', 'PLUGIN', 'API']).notNullable();
    c.choice('status', ['ACTIVE', 'DEPRECATED', 'DISCONTINUED']).notNullable();
    c.choice('licensing_mode', ['STANDARD', 'HONOR_SYSTEM']).notNullable();
    c.choice('default_license_type', LICENSE_TYPES).notNullable();
    c.int('default_max_activations', 1, 1000).notNullable();
    c.int('default_duration_days', 1, 36_600);
    c.reference('policy_id', 'license_policies');
    c.reference('key_format_id', 'license_key_formats');
    c.flag('prerelease_needs_beta', false);
    c.flag('critical_updates_for_expired', false);
    c.flag('statement_required', false);
    c.json('metadata').notNullable();
    c.updated();
    t.unique(['tenant_id', 'slug']);
    t.index(['tenant_id', 'status', 'name']);
    t.index(['policy_id']);
    t.index(['key_format_id']);
  });
}

async function createSigningKeys(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_signing_keys', (c, t) => {
    c.id().primary();
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.reference('product_id', 'license_products').notNullable();
    c.choice('role', ['ROOT', 'ONLINE']).notNullable();
    c.text('key_id').notNullable();
    c.text('public_key').notNullable();
    c.text('private_key');
    c.choice('status', ['ACTIVE', 'NEXT', 'RETIRED']).notNullable();
    c.text('label');
    c.text('delegation');
    c.time('delegation_expires_at');
    c.time('retired_at');
    c.updated();
    t.unique(['product_id', 'key_id']);
    t.check("role = 'ONLINE' OR delegation IS NULL");
  });
  await knex.raw(
    "CREATE UNIQUE INDEX license_signing_keys_one_active ON license_signing_keys (product_id, role) WHERE status = 'ACTIVE'",
  );
}

async function createCustomers(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_customers', (c, t) => {
    c.id().primary();
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.text('email').notNullable();
    c.text('email_norm').notNullable();
    c.text('name');
    c.json('metadata').notNullable();
    c.time('anonymized_at');
    c.updated();
    t.unique(['tenant_id', 'email_norm']);
    t.index(['tenant_id', 'name']);
  });
}
