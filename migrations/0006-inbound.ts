import type { Knex } from 'knex';
import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

const TABLES = [
  'license_inbound_configs',
  'license_inbound_mappings',
  'license_inbound_events',
  'license_inbound_claims',
  'license_inbound_refusals',
];

/** Purchases that payment processors report (licensing section 8.5). */
export const m0006Inbound: Migration = {
  name: '0006-inbound',
  async up(knex, dialect) {
    await createConfigurations(knex, dialect);
    await createMappings(knex, dialect);
    await createEvents(knex, dialect);
    await createClaims(knex, dialect);
    await createRefusals(knex, dialect);
  },
  async down(knex) {
    for (const table of [...TABLES].reverse()) await knex.schema.dropTable(table);
  },
};

async function createConfigurations(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_inbound_configs', (c) => {
    c.id().primary();
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.text('name').notNullable();
    c.choice('processor', ['STRIPE', 'SQUARE', 'GENERIC', 'WALLET']).notNullable();
    c.text('secret_enc').notNullable();
    c.text('previous_secret_enc');
    c.time('previous_until');
    c.text('notification_url');
    c.flag('enabled', true);
    c.time('last_event_at');
    // Its events name the licenses that were paid for: they stay.
    c.time('deleted_at');
    c.updated();
  });
  await knex.raw(
    'CREATE UNIQUE INDEX license_inbound_configs_name ON license_inbound_configs (tenant_id, name) WHERE deleted_at IS NULL',
  );
}

async function createMappings(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_inbound_mappings', (c, t) => {
    c.id().primary();
    c.reference('config_id', 'license_inbound_configs', 'CASCADE').notNullable();
    c.text('external_product_id').notNullable();
    c.reference('product_id', 'license_products').notNullable();
    c.choice('license_type', ['PERPETUAL', 'SUBSCRIPTION', 'TRIAL', 'BETA']).notNullable();
    c.choice('license_tier', ['PERSONAL', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE']).notNullable();
    c.int('max_activations', 1, 1000).notNullable();
    c.int('duration_days', 1);
    c.reference('policy_id', 'license_policies');
    c.choice('quantity_mode', ['LICENSES', 'SEATS']).notNullable().defaultTo('LICENSES');
    c.choice('on_refund', ['NONE', 'SUSPEND', 'REVOKE']).notNullable().defaultTo('NONE');
    c.updated();
    t.unique(['config_id', 'external_product_id']);
  });
}

/** The inbox: a purchase is stored before anything is done about it, and can be done again (D103). */
async function createEvents(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_inbound_events', (c, t) => {
    c.id().primary();
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.reference('config_id', 'license_inbound_configs').notNullable();
    c.text('processor_event_id').notNullable();
    c.text('event_name').notNullable();
    // What it is about at the processor: by these a refund finds its purchase, whichever came first.
    c.text('payment_id');
    c.text('order_id');
    c.choice('status', ['RECEIVED', 'PROCESSED', 'IGNORED', 'FAILED']).notNullable();
    c.text('reason');
    c.text('error');
    // Base64 of the raw bytes: what was signed, whatever its encoding claims to be.
    c.text('body').notNullable();
    c.json('headers').notNullable();
    c.int('attempts', 0).notNullable().defaultTo(0);
    c.time('next_attempt_at');
    c.time('received_at').notNullable();
    c.time('processed_at');
    c.int('licenses_created', 0).notNullable().defaultTo(0);
    // External product ids that no mapping named, although others of the event were mapped.
    c.json('unmapped').notNullable();
    c.flag('spooled', false);
    t.unique(['config_id', 'processor_event_id']);
    t.index(['config_id', 'received_at']);
    t.index(['config_id', 'payment_id']);
    t.index(['config_id', 'order_id']);
  });
  await knex.raw(
    "CREATE INDEX license_inbound_events_due ON license_inbound_events (next_attempt_at) WHERE status = 'RECEIVED'",
  );
  // What the retention still has to take the body from, oldest first.
  await knex.raw(
    "CREATE INDEX license_inbound_events_kept ON license_inbound_events (received_at) WHERE body <> '' AND status IN ('PROCESSED', 'IGNORED')",
  );
}

async function createClaims(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_inbound_claims', (c, t) => {
    c.reference('config_id', 'license_inbound_configs').notNullable();
    c.text('claim_key').notNullable();
    c.reference('event_id', 'license_inbound_events').notNullable();
    // `[{licenseId, externalProductId}]`: a refund does to each what the mapping of its product says.
    c.json('licenses').notNullable();
    t.primary(['config_id', 'claim_key']);
    t.index(['event_id']);
  });
}

/** Who knocked with a signature that does not hold: one row per hour, address and reason, so that it cannot be filled. */
async function createRefusals(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_inbound_refusals', (c, t) => {
    c.reference('config_id', 'license_inbound_configs').notNullable();
    c.text('hour').notNullable();
    c.text('reason').notNullable();
    c.text('ip').notNullable();
    c.text('detail');
    c.big('count', 1).notNullable();
    c.time('last_at').notNullable();
    t.primary(['config_id', 'hour', 'reason', 'ip']);
    t.index(['hour']);
  });
}
