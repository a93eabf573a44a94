import type { Knex } from 'knex';
import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

export const m0001Platform: Migration = {
  name: '0001-platform',
  async up(knex, dialect) {
    await createSettings(knex, dialect);
    await createAccounts(knex, dialect);
    await createApiKeys(knex, dialect);
    await createEvents(knex, dialect);
    await createOutbox(knex, dialect);
    await createScheduledJobs(knex, dialect);
    await createRateLimits(knex);
  },
  async down(knex) {
    const tables = ['rate_limits', 'scheduled_jobs', 'outbox', 'events', 'api_keys'];
    for (const table of [...tables, 'admin_user_roles', 'roles', 'admin_users', 'counters', 'settings']) {
      await knex.schema.dropTable(table);
    }
  },
};

/** Only settings that differ from their default have a row; the counter tells the caches of servers of a change. */
async function createSettings(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'settings', (c) => {
    c.text('key').primary();
    c.text('value').notNullable();
    c.flag('is_secret', false);
    c.text('updated_by');
    c.updated();
  });
  await knex.schema.createTable('counters', (t) => {
    t.text('name').primary();
    t.bigInteger('value').notNullable();
  });
  await knex('counters').insert({ name: 'settings', value: 0 });
}

async function createAccounts(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'admin_users', (c) => {
    c.id().primary();
    c.text('email').notNullable();
    c.text('email_norm').notNullable().unique();
    c.text('name').notNullable();
    c.text('password_hash');
    c.choice('status', ['invited', 'active', 'disabled']).notNullable();
    // One row at most may be the founder: two racing setups make one owner.
    c.flag('founder', false);
    c.time('last_login_at');
    c.updated();
  });
  await knex.raw('CREATE UNIQUE INDEX admin_users_one_founder ON admin_users (founder) WHERE founder');
  await createTable(knex, dialect, 'roles', (c) => {
    c.id().primary();
    c.text('name').notNullable().unique();
    c.flag('is_system', false);
    c.updated();
  });
  await createTable(knex, dialect, 'admin_user_roles', (c, t) => {
    c.reference('admin_user_id', 'admin_users', 'CASCADE').notNullable();
    c.reference('role_id', 'roles').notNullable();
    t.primary(['admin_user_id', 'role_id']);
  });
  await knex('roles').insert({
    id: 'rol_00000000000000000000000001',
    name: 'owner',
    is_system: true,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  });
}

async function createApiKeys(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'api_keys', (c, t) => {
    c.id().primary();
    c.choice('service', ['license', 'store']).notNullable();
    c.text('tenant_id').notNullable();
    c.text('name').notNullable();
    c.text('prefix').notNullable();
    c.text('key_hash').notNullable().unique();
    c.text('previous_key_hash').unique();
    c.time('previous_until');
    c.text('scope');
    c.json('scopes').notNullable();
    c.json('product_ids');
    c.json('ip_allowlist').notNullable();
    c.json('allowed_origins').notNullable();
    c.json('limits');
    c.time('expires_at');
    c.time('revoked_at');
    c.time('last_used_at');
    c.text('created_by');
    c.updated();
    t.index(['service', 'tenant_id', 'created_at']);
  });
}

/** `at` is the time of the row; it has no other. */
async function createEvents(knex: Knex, dialect: DialectName): Promise<void> {
  await knex.schema.createTable('events', (t) => {
    const c = columnsOf(t, dialect);
    c.id().primary();
    c.text('type').notNullable();
    c.text('service').notNullable();
    c.text('tenant_id').notNullable();
    c.text('subject').notNullable();
    c.time('at').notNullable();
    c.text('actor_kind').notNullable();
    c.text('actor_id');
    c.text('actor_label');
    c.text('request_id');
    c.json('data').notNullable();
    c.json('diff');
    t.index(['subject', 'at']);
    t.index(['tenant_id', 'at']);
  });
}

async function createOutbox(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'outbox', (c) => {
    c.id().primary();
    c.text('kind').notNullable();
    c.text('ref_id').notNullable();
    c.time('available_at').notNullable();
    c.int('attempts', 0).notNullable();
    c.time('lease_until');
    c.text('lease_token');
    c.time('done_at');
    c.text('last_error');
  });
  await knex.raw('CREATE INDEX outbox_due ON outbox (available_at) WHERE done_at IS NULL');
}

async function createScheduledJobs(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'scheduled_jobs', (c) => {
    c.text('name').primary();
    c.time('next_due').notNullable();
    c.text('lock_owner');
    c.time('locked_until');
    c.big('fence', 0).notNullable();
    c.flag('enabled', true);
    c.time('last_run_at');
    c.text('last_status');
    c.int('last_ms', 0);
    c.json('last_result');
    c.text('last_error');
  });
}

/** In the column order that rate-limiter-flexible expects; rows may be lost, so no created_at either (M18). */
async function createRateLimits(knex: Knex): Promise<void> {
  await knex.schema.createTable('rate_limits', (t) => {
    t.string('key', 255).primary();
    t.integer('points').notNullable();
    t.bigInteger('expire');
  });
}
