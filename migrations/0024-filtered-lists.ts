import type { Knex } from 'knex';
import type { Migration } from '../src/kernel/db/migrate.ts';
import { type Proportions, tellIndexes } from '../src/kernel/db/proportions.ts';

const COUNTED =
  'tenant_id, deleted_at, honeypot, status, type, tier, product_id, valid_until, created_at, id';
const ENDING = 'valid_until, id, tenant_id, deleted_at, honeypot, type, tier, product_id';
const ENDS = "WHERE status = 'ACTIVE' AND valid_until IS NOT NULL";

/** Filters of license lists that looked at the machines of each license look at few (decision 0060). */
export const m0024FilteredLists: Migration = {
  name: '0024-filtered-lists',
  async up(knex, dialect) {
    await knex.raw('ALTER TABLE licenses ADD COLUMN known_activated boolean NOT NULL DEFAULT false');
    await replace(knex, 'licenses_counted', `licenses (${COUNTED}, known_activated)`);
    await replace(knex, 'licenses_expiring', `licenses (${ENDING}) ${ENDS}`);
    await replace(knex, 'license_keys_prefix_index', 'license_keys (prefix, kind, license_id)');
    await knex.raw(`CREATE INDEX events_seats_lowered ON events (subject) WHERE ${LOWERED[dialect]}`);
    await tellIndexes(knex, dialect, AFTER);
  },
  async down(knex, dialect) {
    await knex.raw('DROP INDEX events_seats_lowered');
    await replace(knex, 'license_keys_prefix_index', 'license_keys (prefix)');
    await replace(knex, 'licenses_expiring', `licenses (valid_until) ${ENDS}`);
    await replace(knex, 'licenses_counted', `licenses (${COUNTED})`);
    await knex.raw('ALTER TABLE licenses DROP COLUMN known_activated');
    await tellIndexes(knex, dialect, BEFORE);
  },
};

/** The limit of machines went down: by an edit, or with an import that brought more machines than it allows. */
const LOWERED = {
  sqlite:
    "diff IS NOT NULL AND json_extract(diff, '$.maxActivations[0]') > json_extract(diff, '$.maxActivations[1]')",
  postgres: "diff IS NOT NULL AND diff #> '{maxActivations,0}' > diff #> '{maxActivations,1}'",
} as const;

async function replace(knex: Knex, name: string, on: string): Promise<void> {
  await knex.raw(`DROP INDEX ${name}`);
  await knex.raw(`CREATE INDEX ${name} ON ${on}`);
}

const LICENSES = 100_000;
const COUNTED_SAME = [LICENSES, LICENSES, LICENSES, 50_000, 20_000, 7000, 1000, 500, 1, 1] as const;
type Indexes = Readonly<Record<string, Proportions>>;

const AFTER: Indexes = {
  licenses: {
    rows: LICENSES,
    indexes: {
      licenses_counted: [...COUNTED_SAME, 1],
      licenses_expiring: { rows: 25_000, same: [2, 1, 1, 1, 1, 1, 1, 1] },
    },
  },
  license_keys: { rows: LICENSES, indexes: { license_keys_prefix_index: [1, 1, 1] } },
};

/** As migration 0023 told them. */
const BEFORE: Indexes = {
  licenses: {
    rows: LICENSES,
    indexes: { licenses_counted: COUNTED_SAME, licenses_expiring: { rows: 25_000, same: [2] } },
  },
  license_keys: { rows: LICENSES, indexes: { license_keys_prefix_index: [1] } },
};
