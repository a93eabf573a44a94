import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Hooks of the operator that run after a change was committed (storefront-domain 19). */
export const m0071HookRuns: Migration = {
  name: '0071-hook-runs',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'hook_runs', (c, t) => {
      c.id().primary();
      c.choice('phase', ['before', 'after']).notNullable();
      for (const name of ['tenant_id', 'point', 'file', 'subject', 'actor']) c.text(name).notNullable();
      for (const name of ['event_id', 'payload', 'last_error']) c.text(name);
      c.choice('state', ['pending', 'failed', 'skipped']).notNullable();
      c.int('attempts', 0).notNullable();
      c.time('ended_at');
      t.index(['state', 'file']);
      t.index(['ended_at']);
      t.index(['subject']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('hook_runs');
  },
};
