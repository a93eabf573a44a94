import type { Knex } from 'knex';
import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

const TYPES = ['PERPETUAL', 'SUBSCRIPTION', 'TRIAL', 'BETA', 'FLOATING'];
const SOURCES = ['API', 'BULK', 'INBOUND_WEBHOOK', 'STOREFRONT', 'CLI', 'ADMIN', 'IMPORT'];
const END_REASONS = [
  'CLIENT',
  'ADMIN',
  'PORTAL',
  'CHECKIN',
  'LEASE_EXPIRED',
  'HEARTBEAT',
  'REVOKED',
  'DELETED',
  'REPLACED',
  'TRANSFER',
];

/** Licenses, their keys, activations, idempotency keys and trial uses (licensing section 8.3). */
export const m0003Licenses: Migration = {
  name: '0003-licenses',
  async up(knex, dialect) {
    await createLicenses(knex, dialect);
    await createKeys(knex, dialect);
    await createActivations(knex, dialect);
    await createIdempotency(knex, dialect);
    await createTrialUses(knex, dialect);
  },
  async down(knex) {
    const tables = [
      'license_trial_uses',
      'license_idempotency',
      'license_activations',
      'license_keys',
      'licenses',
    ];
    for (const table of tables) await knex.schema.dropTable(table);
  },
};

async function createLicenses(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'licenses', (c, t) => {
    c.id().primary();
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.reference('product_id', 'license_products').notNullable();
    c.reference('customer_id', 'license_customers');
    c.reference('policy_id', 'license_policies');
    c.choice('type', TYPES).notNullable();
    c.choice('tier', ['PERSONAL', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE']).notNullable();
    c.choice('status', ['ACTIVE', 'EXPIRED', 'SUSPENDED', 'REVOKED']).notNullable();
    c.int('max_activations', 1, 1000).notNullable();
    c.time('valid_until');
    c.int('grace_period_seconds', 0, 31_536_000);
    c.json('features');
    c.text('max_version');
    c.big('max_uses', 0);
    c.big('current_uses', 0).notNullable();
    c.text('order_id');
    c.json('metadata').notNullable();
    c.text('notes');
    c.choice('source', SOURCES).notNullable();
    c.text('suspended_reason');
    c.time('suspended_at');
    c.text('revoked_reason');
    c.time('revoked_at');
    // The validUntil for which LICENSE_EXPIRED was emitted: once per date (D34).
    c.time('expired_event_for');
    c.flag('honeypot', false);
    c.text('honeypot_label');
    c.int('block_ip_seconds', 0, 86_400);
    c.time('deleted_at');
    c.updated();
    t.check('honeypot OR customer_id IS NOT NULL');
    t.index(['tenant_id', 'created_at']);
    t.index(['product_id', 'status']);
    t.index(['customer_id']);
    t.index(['policy_id']);
  });
  await knex.raw('CREATE INDEX licenses_order ON licenses (tenant_id, order_id) WHERE order_id IS NOT NULL');
  await knex.raw('CREATE INDEX licenses_trash ON licenses (deleted_at) WHERE deleted_at IS NOT NULL');
  await knex.raw(
    "CREATE INDEX licenses_expiring ON licenses (valid_until) WHERE status = 'ACTIVE' AND valid_until IS NOT NULL",
  );
}

async function createKeys(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_keys', (c, t) => {
    c.id().primary();
    c.reference('license_id', 'licenses', 'CASCADE').notNullable();
    // Unique over the whole instance: update requests carry no tenant (D100).
    c.text('digest').notNullable().unique();
    c.text('key_enc').notNullable();
    c.text('prefix').notNullable();
    // The stored spelling is the one that the digest is made of; an imported key keeps its own.
    c.flag('is_canonical', true);
    c.choice('kind', ['CURRENT', 'REPLACED', 'HONEYPOT']).notNullable();
    c.time('overlap_until');
    c.flag('then_honeypot', false);
    c.time('replaced_at');
    t.index(['license_id']);
    t.index(['prefix']);
  });
  await knex.raw(
    "CREATE UNIQUE INDEX license_keys_one_current ON license_keys (license_id) WHERE kind = 'CURRENT'",
  );
}

async function createActivations(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_activations', (c, t) => {
    c.id().primary();
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.reference('license_id', 'licenses', 'CASCADE').notNullable();
    c.choice('kind', ['NODE', 'LEASE']).notNullable();
    c.text('machine_id').notNullable();
    c.text('machine_name');
    c.text('os_name');
    c.text('os_version');
    c.text('app_version');
    c.json('metadata');
    c.time('activated_at').notNullable();
    c.time('last_seen_at').notNullable();
    c.time('lease_expires_at');
    c.time('lapse_notified_at');
    c.time('ended_at');
    c.choice('end_reason', END_REASONS);
    t.check("(kind = 'LEASE') = (lease_expires_at IS NOT NULL)");
    t.check('(ended_at IS NULL) = (end_reason IS NULL)');
    t.index(['tenant_id', 'machine_id']);
  });
  const index = (name: string, columns: string, where: string) =>
    knex.raw(`CREATE INDEX license_activations_${name} ON license_activations (${columns}) WHERE ${where}`);
  await knex.raw(
    'CREATE UNIQUE INDEX license_activations_one_live ON license_activations (license_id, machine_id) WHERE ended_at IS NULL',
  );
  // Counting seats reads this index alone: every machine of a license of 1,000 seats asks for that count.
  await index('seats', 'license_id, ended_at, lease_expires_at', 'ended_at IS NULL');
  // An index that only ended rows or only leases need leaves the others out: each index that a new activation must
  // enter costs as much as the row itself.
  await index('seen', 'last_seen_at', 'ended_at IS NULL');
  await index('leases', 'lease_expires_at', 'ended_at IS NULL AND lease_expires_at IS NOT NULL');
  await index('ended', 'license_id, ended_at', 'ended_at IS NOT NULL');
}

/** The row is written first and filled with its license in the same transaction (licensing 5.4). */
async function createIdempotency(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_idempotency', (c, t) => {
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.choice('namespace', ['api', 'store', 'inbound', 'cli', 'admin']).notNullable();
    c.text('key').notNullable();
    c.reference('license_id', 'licenses', 'CASCADE');
    c.text('request_hash').notNullable();
    t.primary(['tenant_id', 'namespace', 'key']);
    t.index(['license_id']);
  });
}

async function createTrialUses(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_trial_uses', (c, t) => {
    c.reference('product_id', 'license_products').notNullable();
    c.choice('subject_kind', ['MACHINE', 'CUSTOMER']).notNullable();
    c.text('subject').notNullable();
    c.reference('license_id', 'licenses', 'CASCADE').notNullable();
    c.time('first_at').notNullable();
    t.primary(['product_id', 'subject_kind', 'subject', 'license_id']);
  });
}
