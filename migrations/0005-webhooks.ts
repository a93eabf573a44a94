import type { Knex } from 'knex';
import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Outbound webhooks of both services, and the bearer tokens of the admin APIs (storefront-domain section 4). */
export const m0005Webhooks: Migration = {
  name: '0005-webhooks',
  async up(knex, dialect) {
    await giveOutboxTargets(knex);
    await createWebhooks(knex, dialect);
    await createDeliveries(knex, dialect);
    await createAttempts(knex, dialect);
    await createAdminTokens(knex, dialect);
  },
  async down(knex) {
    for (const table of ['admin_tokens', 'webhook_attempts', 'webhook_deliveries', 'webhooks']) {
      await knex.schema.dropTable(table);
    }
    await knex('counters').where({ name: 'webhooks' }).delete();
    await knex.raw('DROP INDEX outbox_due');
    await knex.raw('ALTER TABLE outbox DROP COLUMN target');
    await knex.raw('CREATE INDEX outbox_due ON outbox (available_at) WHERE done_at IS NULL');
  },
};

/** What waits is taken target by target: a receiver that is away must not delay the others (M6). */
async function giveOutboxTargets(knex: Knex): Promise<void> {
  await knex.raw("ALTER TABLE outbox ADD COLUMN target text NOT NULL DEFAULT ''");
  await knex.raw('DROP INDEX outbox_due');
  await knex.raw('CREATE INDEX outbox_due ON outbox (target, available_at, id) WHERE done_at IS NULL');
}

async function createWebhooks(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'webhooks', (c, t) => {
    c.id().primary();
    c.choice('service', ['license', 'store']).notNullable();
    c.text('tenant_id').notNullable();
    c.text('name').notNullable();
    c.text('url').notNullable();
    c.json('events').notNullable();
    // Those of the service that the events are about; null for all.
    c.json('product_ids');
    c.flag('redact_email', false);
    // Sealed: a header that the receiver asks for may be a credential.
    c.text('headers_enc');
    c.text('secret_enc').notNullable();
    c.text('previous_secret_enc');
    c.time('previous_until');
    c.flag('enabled', true);
    c.time('disabled_at');
    c.text('disabled_reason');
    c.int('consecutive_failures', 0).notNullable().defaultTo(0);
    c.text('created_by');
    c.updated();
    t.index(['service', 'tenant_id', 'created_at']);
  });
  // Changes with every change of a webhook: writers of events see by it that what they remember is old.
  await knex('counters').insert({ name: 'webhooks', value: 0 });
}

/** `created_at` is the time of the event. No reference to events: those of read-only calls have no row there. */
async function createDeliveries(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'webhook_deliveries', (c, t) => {
    c.id().primary();
    c.reference('webhook_id', 'webhooks', 'CASCADE').notNullable();
    c.text('tenant_id').notNullable();
    c.text('event_id').notNullable();
    c.text('event').notNullable();
    c.text('subject').notNullable();
    // Byte for byte what is sent, frozen when the event was written.
    c.text('body').notNullable();
    c.choice('state', ['PENDING', 'DELIVERED', 'FAILED', 'SKIPPED']).notNullable();
    c.flag('is_test', false);
    // 0 for the first sending, one more with every redelivery.
    c.int('run', 0).notNullable().defaultTo(0);
    c.int('attempts', 0).notNullable().defaultTo(0);
    c.time('next_attempt_at');
    c.int('last_status', 100, 999);
    c.text('last_error');
    c.int('last_ms', 0);
    c.time('ended_at');
    t.unique(['webhook_id', 'event_id']);
    t.check("(state = 'PENDING') = (ended_at IS NULL)");
    t.index(['webhook_id', 'created_at']);
  });
  await knex.raw(
    'CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL',
  );
}

/** What was sent and what came back, secrets redacted. `created_at` is when the attempt began. */
async function createAttempts(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'webhook_attempts', (c, t) => {
    c.reference('delivery_id', 'webhook_deliveries', 'CASCADE').notNullable();
    c.int('run', 0).notNullable();
    c.int('n', 1).notNullable();
    c.int('ms', 0).notNullable();
    c.int('status', 100, 999);
    c.text('error');
    c.json('request_headers').notNullable();
    c.json('response_headers');
    c.text('response_excerpt');
    t.primary(['delivery_id', 'run', 'n']);
  });
}

async function createAdminTokens(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'admin_tokens', (c) => {
    c.id().primary();
    c.text('name').notNullable();
    c.text('role').notNullable();
    // null opens every tenant of the installation.
    c.text('tenant_id');
    c.text('prefix').notNullable();
    c.text('token_hash').notNullable().unique();
    c.time('expires_at');
    c.time('revoked_at');
    c.time('last_used_at');
    c.text('created_by');
    c.updated();
  });
}
