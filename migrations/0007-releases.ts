import type { Knex } from 'knex';
import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Releases, their bundles, and what the rotation of signing keys needs (licensing sections 8.2 and 8.4). */
export const m0007Releases: Migration = {
  name: '0007-releases',
  async up(knex, dialect) {
    await versionReleasesOfProducts(knex);
    await planKeyRotations(knex, dialect);
    await createBundles(knex, dialect);
    await createReleases(knex, dialect);
    await createStatistics(knex, dialect);
  },
  async down(knex) {
    for (const table of ['license_release_stats', 'license_releases', 'license_bundles']) {
      await knex.schema.dropTable(table);
    }
    for (const column of ['activate_at', 'continuity', 'minisign_id']) {
      await knex.raw(`ALTER TABLE license_signing_keys DROP COLUMN ${column}`);
    }
    await knex.raw('ALTER TABLE license_products DROP COLUMN releases_version');
  },
};

/** Changes with every change of a release: who remembers the releases of a product sees by it that they are old. */
async function versionReleasesOfProducts(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE license_products ADD COLUMN releases_version integer NOT NULL DEFAULT 0');
}

/**
 * `activate_at` of a NEXT key; `continuity` is what the key before signed about it: `continuity/<P>.<S>`;
 * `minisign_id` is the id that minisign had given to an imported key: its clients compare it.
 */
async function planKeyRotations(knex: Knex, dialect: DialectName): Promise<void> {
  await knex.schema.alterTable('license_signing_keys', (t) => {
    const c = columnsOf(t, dialect);
    c.time('activate_at');
    c.text('continuity');
    c.text('minisign_id');
  });
}

/** One row for each content, whatever releases have it. */
async function createBundles(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_bundles', (c) => {
    c.text('sha256').primary();
    c.big('size', 0).notNullable();
    c.text('sha512').notNullable();
    c.text('location').notNullable();
    // The last upload of these bytes: nothing that was just sent may be swept away.
    c.time('touched_at').notNullable();
    // Since when the bytes are gone, or no release has them: a day later they go.
    c.time('removed_at');
    // Somebody is deleting the bytes: whoever sends the same ones waits.
    c.time('claimed_at');
  });
}

async function createReleases(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_releases', (c, t) => {
    c.id().primary();
    c.reference('tenant_id', 'license_tenants').notNullable();
    c.reference('product_id', 'license_products').notNullable();
    c.text('version').notNullable();
    c.choice('channel', ['stable', 'beta', 'alpha', 'rc', 'nightly']).notNullable();
    c.text('platform').notNullable().defaultTo('');
    c.text('arch').notNullable().defaultTo('');
    c.choice('state', ['DRAFT', 'PUBLISHED', 'YANKED', 'ARCHIVED']).notNullable();
    c.text('changelog').notNullable();
    c.text('bundle_filename');
    c.big('bundle_size', 0);
    t.text('bundle_sha256').references('sha256').inTable('license_bundles').onDelete('RESTRICT');
    c.text('bundle_sha512');
    c.text('signature');
    c.text('key_id');
    c.json('extra_signatures');
    c.text('statement');
    c.text('statement_signature');
    c.big('sequence', 0);
    // By channel: what it had there before it was promoted. Clients remember it.
    c.json('former_sequences');
    c.time('statement_expires_at');
    c.flag('is_critical', false);
    c.flag('requires_migration', false);
    c.text('min_from_version');
    c.json('required_entitlements').notNullable();
    c.int('rollout_bps', 0, 10_000).notNullable().defaultTo(10_000);
    c.flag('rollout_paused', false);
    c.json('rollout_schedule');
    // In the future: it is published, and offered from then on.
    c.time('published_at');
    // Stays when it is withdrawn: taking that back does not offer it again.
    c.time('archived_at');
    c.time('yanked_at');
    c.text('yanked_reason');
    c.updated();
    t.unique(['product_id', 'version', 'platform', 'arch']);
    t.index(['product_id', 'state', 'channel']);
    t.index(['bundle_sha256']);
    t.index(['tenant_id', 'created_at']);
    t.check(
      "state = 'DRAFT' OR (bundle_sha256 IS NOT NULL AND signature IS NOT NULL AND published_at IS NOT NULL)",
    );
  });
  await knex.raw(
    'CREATE UNIQUE INDEX license_releases_sequence ON license_releases (product_id, channel, platform, arch, sequence) WHERE sequence IS NOT NULL',
  );
}

async function createStatistics(knex: Knex, dialect: DialectName): Promise<void> {
  await knex.schema.createTable('license_release_stats', (t) => {
    const c = columnsOf(t, dialect);
    c.reference('release_id', 'license_releases', 'CASCADE').notNullable();
    c.text('day').notNullable();
    c.text('from_version').notNullable().defaultTo('');
    c.big('checks', 0).notNullable().defaultTo(0);
    c.big('offers', 0).notNullable().defaultTo(0);
    c.big('downloads', 0).notNullable().defaultTo(0);
    t.primary(['release_id', 'day', 'from_version']);
  });
}
