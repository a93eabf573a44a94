import type { DialectName, Knex } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

const TABLE = 'license_idempotency';

/**
 * An idempotency key names its license from the beginning: the database asks for the license when the transaction ends,
 * so that the key is written once, and no key is without one.
 */
export const m0086ClaimedLicenses: Migration = {
  name: '0086-claimed-licenses',
  up: (knex, dialect) => remade(knex, dialect, true),
  down: (knex, dialect) => remade(knex, dialect, false),
};

async function remade(knex: Knex, dialect: DialectName, isClaimed: boolean): Promise<void> {
  if (dialect === 'postgres') {
    const constraint = `ALTER CONSTRAINT ${TABLE}_license_id_foreign`;
    await knex.raw(
      `ALTER TABLE ${TABLE} ${constraint} ${isClaimed ? 'DEFERRABLE INITIALLY DEFERRED' : 'NOT DEFERRABLE'}`,
    );
    await knex.raw(`ALTER TABLE ${TABLE} ALTER COLUMN license_id ${isClaimed ? 'SET' : 'DROP'} NOT NULL`);
    return;
  }
  // SQLite changes no constraint of a table: its rows move into a new one.
  const columns = 'tenant_id, namespace, key, license_id, request_hash, created_at';
  await knex.raw(`ALTER TABLE ${TABLE} RENAME TO ${TABLE}_before`);
  await knex.raw(`DROP INDEX ${TABLE}_license_id_index`);
  await knex.raw(`CREATE TABLE ${TABLE} (
    tenant_id text NOT NULL REFERENCES license_tenants (id) ON DELETE RESTRICT,
    namespace text NOT NULL CHECK (namespace IN ('api', 'store', 'inbound', 'cli', 'admin')),
    key text NOT NULL,
    license_id text ${isClaimed ? 'NOT NULL ' : ''}REFERENCES licenses (id) ON DELETE CASCADE${isClaimed ? ' DEFERRABLE INITIALLY DEFERRED' : ''},
    request_hash text NOT NULL,
    created_at text NOT NULL,
    PRIMARY KEY (tenant_id, namespace, key))${isClaimed ? ' WITHOUT ROWID' : ''}`);
  await knex.raw(`INSERT INTO ${TABLE} (${columns}) SELECT ${columns} FROM ${TABLE}_before`);
  await knex.raw(`DROP TABLE ${TABLE}_before`);
  await knex.raw(`CREATE INDEX ${TABLE}_license_id_index ON ${TABLE} (license_id)`);
}
