import { columnsOf } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/**
 * An order that is edited gets another invoice, and a credit note of the one before (decision 0065). Of a refund it is kept
 * whether the customer is written to: that may be after the request.
 */
export const m0058CorrectedInvoices: Migration = {
  name: '0058-corrected-invoices',
  async up(knex, dialect) {
    await knex.raw('DROP INDEX invoices_order_once');
    await knex.schema.alterTable('refunds', (t) => {
      columnsOf(t, dialect).flag('notify', true);
    });
  },
  async down(knex) {
    await knex.raw('ALTER TABLE refunds DROP COLUMN notify');
    await knex.raw("CREATE UNIQUE INDEX invoices_order_once ON invoices (order_id) WHERE kind = 'invoice'");
  },
};
