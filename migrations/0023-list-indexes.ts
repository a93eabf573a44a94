import type { Knex } from 'knex';
import type { Migration } from '../src/kernel/db/migrate.ts';
import { forgetProportions, type Proportions, tellProportions } from '../src/kernel/db/proportions.ts';

const VISIBLE = 'tenant_id, deleted_at, honeypot';
const COUNTED = `${VISIBLE}, status, type, tier, product_id, valid_until`;

/**
 * Lists of 100,000 licenses and of a million audit entries answer within tens of milliseconds: indexes that hold all that
 * a list is counted and sorted by, and for SQLite the proportions by which it chooses among them.
 */
export const m0023ListIndexes: Migration = {
  name: '0023-list-indexes',
  async up(knex, dialect) {
    await replace(knex, 'licenses_counted', `licenses (${COUNTED}, created_at, id)`);
    await knex.raw('CREATE INDEX audit_log_target_type ON audit_log (target_type, seq)');
    await knex.raw('CREATE INDEX audit_log_request ON audit_log (request_id) WHERE request_id IS NOT NULL');
    await tellProportions(knex, dialect, PROPORTIONS);
  },
  async down(knex, dialect) {
    await forgetProportions(knex, dialect, Object.keys(PROPORTIONS));
    await knex.raw('DROP INDEX audit_log_request');
    await knex.raw('DROP INDEX audit_log_target_type');
    await replace(knex, 'licenses_counted', `licenses (${COUNTED})`);
  },
};

async function replace(knex: Knex, name: string, on: string): Promise<void> {
  await knex.raw(`DROP INDEX ${name}`);
  await knex.raw(`CREATE INDEX ${name} ON ${on}`);
}

const LICENSES = 100_000;
const ACTIVATIONS = 120_000;
const CUSTOMERS = 25_000;
const ENTRIES = 1_000_000;

/** One tenant with a handful of products, as most installations are. */
const PROPORTIONS: Readonly<Record<string, Proportions>> = {
  licenses: {
    rows: LICENSES,
    indexes: {
      sqlite_autoindex_licenses_1: [1],
      licenses_counted: [LICENSES, LICENSES, LICENSES, 50_000, 20_000, 7000, 1000, 500, 1, 1],
      licenses_newest: [LICENSES, LICENSES, LICENSES, 1],
      licenses_tenant_id_created_at_index: [LICENSES, 1],
      licenses_product_id_status_index: [20_000, 15_000],
      licenses_customer_id_index: [4],
      licenses_policy_id_index: [20_000],
      licenses_order: { rows: LICENSES, same: [LICENSES, 1] },
      licenses_trash: { rows: 1000, same: [1] },
      licenses_expiring: { rows: 25_000, same: [2] },
    },
  },
  license_keys: {
    rows: LICENSES,
    indexes: {
      sqlite_autoindex_license_keys_1: [1],
      license_keys_digest_unique: [1],
      license_keys_license_id_index: [1],
      license_keys_prefix_index: [1],
      license_keys_one_current: { rows: LICENSES, same: [1] },
    },
  },
  license_customers: {
    rows: CUSTOMERS,
    indexes: {
      sqlite_autoindex_license_customers_1: [1],
      license_customers_tenant_id_email_norm_unique: [CUSTOMERS, 1],
      license_customers_tenant_id_name_index: [CUSTOMERS, 2],
    },
  },
  license_activations: {
    rows: ACTIVATIONS,
    indexes: {
      sqlite_autoindex_license_activations_1: [1],
      license_activations_tenant_id_machine_id_index: [ACTIVATIONS, 2],
      license_activations_one_live: { rows: ACTIVATIONS, same: [2, 1] },
      license_activations_seats: { rows: ACTIVATIONS, same: [2, 2, 2] },
      license_activations_seen: { rows: ACTIVATIONS, same: [2, 1] },
      license_activations_leases: { rows: 10_000, same: [2] },
      license_activations_ended: { rows: 60_000, same: [2, 1] },
      license_activations_retained: { rows: 60_000, same: [2, 1] },
    },
  },
  audit_log: {
    rows: ENTRIES,
    indexes: {
      sqlite_autoindex_audit_log_1: [1],
      audit_log_id_unique: [1],
      audit_log_target_id_seq_index: [10, 1],
      audit_log_target_type: [50_000, 1],
      audit_log_actor_id_seq_index: [20_000, 1],
      audit_log_actor_label_seq_index: [20_000, 1],
      audit_log_action_seq_index: [10_000, 1],
      audit_log_request: { rows: ENTRIES, same: [2] },
      audit_log_at_index: [2],
    },
  },
};
