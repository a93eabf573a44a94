import type { Knex } from 'knex';
import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

const OBSERVATION_KINDS = ['IP_NET', 'MACHINE_TRIED', 'MACHINE_DENIED', 'CHURN', 'LIMIT', 'BEAT_IP'];

const TABLES = [
  'license_usage',
  'license_offline_tokens',
  'license_abuse_rules',
  'license_abuse_flags',
  'license_observations',
  'license_honeypot_hits',
  'license_stats',
  'license_denials',
  'license_requests',
];

/** Usage, offline tokens, abuse, honeypots, statistics and the request log (licensing sections 8.3 and 8.6). */
export const m0004LicenseOperations: Migration = {
  name: '0004-license-operations',
  async up(knex, dialect) {
    await createUsage(knex, dialect);
    await createOfflineTokens(knex, dialect);
    await createAbuse(knex, dialect);
    await createHoneypotHits(knex, dialect);
    await createStatistics(knex, dialect);
    await createRequests(knex, dialect);
    await orderActivations(knex);
  },
  async down(knex) {
    await knex.raw('DROP INDEX license_activations_retained');
    await knex.raw('DROP INDEX license_activations_seen');
    await indexActivations(knex, 'seen', 'last_seen_at', 'ended_at IS NULL');
    for (const table of [...TABLES].reverse()) await knex.schema.dropTable(table);
    for (const column of ['usage_base', 'usage_epoch']) {
      await knex.raw('ALTER TABLE licenses DROP COLUMN ??', [column]);
    }
  },
};

/**
 * The counter of a license is `usage_base` and its records of the current epoch together: a reset or a set begins an
 * epoch, so that doctor can always add it up (licensing 8.8).
 */
async function createUsage(knex: Knex, dialect: DialectName): Promise<void> {
  await knex.schema.alterTable('licenses', (t) => {
    t.bigInteger('usage_base').notNullable().defaultTo(0);
    t.integer('usage_epoch').notNullable().defaultTo(0);
  });
  // `at` is the time of the row; it has no other. One index, which also keeps the records of an epoch together in
  // the order of their ids: each further one costs a metered call as much as the row itself.
  await knex.schema.createTable('license_usage', (t) => {
    const c = columnsOf(t, dialect);
    c.reference('license_id', 'licenses', 'CASCADE').notNullable();
    c.int('epoch', 0).notNullable();
    c.id();
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.text('feature').notNullable();
    c.int('quantity', 1, 10_000).notNullable();
    c.big('counter_after', 0).notNullable();
    // The limit that was in force: a repeated call gets its first answer, also after the limit was changed (D81).
    c.big('max_uses', 0);
    c.json('metadata');
    c.text('idempotency_key');
    c.time('at').notNullable();
    t.primary(['license_id', 'epoch', 'id']);
  });
  await knex.raw(
    'CREATE UNIQUE INDEX license_usage_once ON license_usage (license_id, idempotency_key) WHERE idempotency_key IS NOT NULL',
  );
}

async function createOfflineTokens(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_offline_tokens', (c, t) => {
    c.id().primary();
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.reference('license_id', 'licenses', 'CASCADE').notNullable();
    c.text('activation_id');
    c.text('machine_digest').notNullable();
    c.time('issued_at').notNullable();
    c.time('expires_at').notNullable();
    c.text('issued_by').notNullable();
    t.index(['license_id', 'expires_at']);
  });
}

async function createAbuse(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_abuse_rules', (c, t) => {
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.text('rule').notNullable();
    c.flag('enabled', true);
    c.json('params').notNullable();
    c.updated();
    t.primary(['tenant_id', 'rule']);
  });
  await createTable(knex, dialect, 'license_abuse_flags', (c, t) => {
    c.id().primary();
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.reference('license_id', 'licenses', 'CASCADE').notNullable();
    c.text('rule').notNullable();
    c.choice('status', ['OPEN', 'CLEARED', 'CONFIRMED']).notNullable();
    c.big('score', 0).notNullable();
    c.json('evidence').notNullable();
    c.text('note');
    c.text('resolved_by');
    c.time('resolved_at');
    c.updated();
    t.index(['tenant_id', 'status', 'created_at']);
  });
  await knex.raw(
    "CREATE UNIQUE INDEX license_abuse_flags_one_open ON license_abuse_flags (license_id, rule) WHERE status = 'OPEN'",
  );
}

async function createHoneypotHits(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_honeypot_hits', (c, t) => {
    c.id().primary();
    c.reference('license_key_id', 'license_keys', 'CASCADE').notNullable();
    c.text('hour').notNullable();
    c.text('ip').notNullable();
    c.text('endpoint').notNullable();
    c.text('machine_id');
    c.text('user_agent');
    c.big('count', 0).notNullable();
    c.time('first_at').notNullable();
    c.time('last_at').notNullable();
    t.unique(['license_key_id', 'hour', 'ip']);
    // Every process looks every few seconds for what the others have seen.
    t.index(['last_at']);
  });
}

/** Aggregates that are flushed from memory: their own times say when, so they have no created_at. */
async function createStatistics(knex: Knex, dialect: DialectName): Promise<void> {
  await knex.schema.createTable('license_observations', (t) => {
    const c = columnsOf(t, dialect);
    c.reference('license_id', 'licenses', 'CASCADE').notNullable();
    c.text('hour').notNullable();
    c.choice('kind', OBSERVATION_KINDS).notNullable();
    c.text('value').notNullable();
    c.big('count', 0).notNullable();
    c.time('first_at').notNullable();
    c.time('last_at').notNullable();
    t.primary(['license_id', 'hour', 'kind', 'value']);
    // Retention asks for the hour alone; the evaluation of the abuse rules walks the licenses of an hour.
    t.index(['hour', 'license_id']);
  });
  await knex.schema.createTable('license_stats', (t) => {
    const c = columnsOf(t, dialect);
    c.reference('license_id', 'licenses', 'CASCADE').notNullable();
    c.text('day').notNullable();
    c.big('validations', 0).notNullable();
    c.big('denials', 0).notNullable();
    c.big('heartbeats', 0).notNullable();
    c.time('last_validated_at');
    t.primary(['license_id', 'day']);
  });
  await knex.schema.createTable('license_denials', (t) => {
    const c = columnsOf(t, dialect);
    c.reference('license_id', 'licenses', 'CASCADE').notNullable();
    c.text('day').notNullable();
    c.text('code').notNullable();
    c.big('count', 0).notNullable();
    c.int('machines', 0).notNullable();
    c.time('first_at').notNullable();
    c.time('last_at').notNullable();
    t.primary(['license_id', 'day', 'code']);
    t.index(['day', 'code']);
  });
}

/** Rows may outlive or precede what they name, so nothing is referenced. */
async function createRequests(knex: Knex, dialect: DialectName): Promise<void> {
  await knex.schema.createTable('license_requests', (t) => {
    const c = columnsOf(t, dialect);
    c.id().primary();
    c.text('tenant_id');
    c.time('at').notNullable();
    c.text('method').notNullable();
    c.text('route').notNullable();
    c.int('status', 100, 599).notNullable();
    c.text('code');
    c.text('license_id');
    c.text('api_key_id');
    c.text('ip').notNullable();
    c.text('user_agent');
    c.int('ms', 0).notNullable();
    c.json('facts');
    c.json('trace');
    t.index(['at']);
    t.index(['license_id', 'at']);
    t.index(['tenant_id', 'at']);
  });
}

/**
 * The cull and retention walk through activations window by window. Many have the same time, such as all machines of a
 * reinstated license, so the id belongs to the order: without it each window would sort all rows of a time again.
 */
async function orderActivations(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX license_activations_seen');
  await indexActivations(knex, 'seen', 'last_seen_at, id', 'ended_at IS NULL');
  await indexActivations(knex, 'retained', 'ended_at, id', 'ended_at IS NOT NULL');
}

async function indexActivations(knex: Knex, name: string, columns: string, where: string): Promise<void> {
  await knex.raw(
    `CREATE INDEX license_activations_${name} ON license_activations (${columns}) WHERE ${where}`,
  );
}
