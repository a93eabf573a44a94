import type { Knex } from 'knex';
import { columnsOf } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/**
 * What the panel shows without a look at each row of a log: deliveries of all webhooks, newest first, and those of one
 * license among them; requests by hour and duration; floating seats in use by hour; machines by day and version.
 */
export const m0027PanelFigures: Migration = {
  name: '0027-panel-figures',
  async up(knex, dialect) {
    await knex.raw(
      'CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (tenant_id, created_at, id)',
    );
    await knex.raw(
      'CREATE INDEX webhook_deliveries_subject ON webhook_deliveries (tenant_id, subject, created_at)',
    );
    await createRequestHours(knex, dialect);
    await createSeatHours(knex, dialect);
    await createVersionDays(knex, dialect);
  },
  async down(knex) {
    await knex.schema.dropTable('license_version_days');
    await knex.schema.dropTable('license_seat_hours');
    await knex.schema.dropTable('license_request_hours');
    await knex.raw('DROP INDEX webhook_deliveries_subject');
    await knex.raw('DROP INDEX webhook_deliveries_newest');
  },
};

/** Requests of an hour that took up to so many milliseconds: a handful of rows an hour. */
async function createRequestHours(knex: Knex, dialect: DialectName): Promise<void> {
  await knex.schema.createTable('license_request_hours', (t) => {
    const c = columnsOf(t, dialect);
    c.text('tenant_id').notNullable();
    c.time('hour').notNullable();
    c.int('up_to_ms', 0).notNullable();
    for (const counter of ['requests', 'refused', 'failed']) c.big(counter, 0).notNullable();
    t.primary(['tenant_id', 'hour', 'up_to_ms']);
    t.index(['hour']);
  });
}

/** The most floating seats of a product that were in use at once in an hour, and how many there were. */
async function createSeatHours(knex: Knex, dialect: DialectName): Promise<void> {
  await knex.schema.createTable('license_seat_hours', (t) => {
    const c = columnsOf(t, dialect);
    c.reference('product_id', 'license_products', 'CASCADE').notNullable();
    c.time('hour').notNullable();
    for (const counter of ['used', 'seats']) c.big(counter, 0).notNullable();
    t.primary(['product_id', 'hour']);
    t.index(['hour']);
  });
}

/** Machines of a product that are activated, by the version that they ran at the last count of a day. */
async function createVersionDays(knex: Knex, dialect: DialectName): Promise<void> {
  await knex.schema.createTable('license_version_days', (t) => {
    const c = columnsOf(t, dialect);
    c.reference('product_id', 'license_products', 'CASCADE').notNullable();
    c.text('day').notNullable();
    c.text('version').notNullable();
    c.big('machines', 0).notNullable();
    t.primary(['product_id', 'day', 'version']);
    t.index(['day']);
  });
}
