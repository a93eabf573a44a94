import type { Migration } from '../src/kernel/db/migrate.ts';

/** Lists of the audit log by the name of an actor, newest first. */
export const m0018AuditLists: Migration = {
  name: '0018-audit-lists',
  async up(knex) {
    await knex.schema.alterTable('audit_log', (t) => {
      t.index(['actor_label', 'seq']);
    });
  },
  async down(knex) {
    await knex.schema.alterTable('audit_log', (t) => {
      t.dropIndex(['actor_label', 'seq']);
    });
  },
};
