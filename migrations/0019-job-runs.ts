import { columnsOf } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Runs of jobs that are kept, who paused a job, and who began a task (decision 0053). */
export const m0019JobRuns: Migration = {
  name: '0019-job-runs',
  async up(knex, dialect) {
    // It has no `created_at`: a row is written when its run has ended.
    await knex.schema.createTable('job_runs', (t) => {
      const c = columnsOf(t, dialect);
      c.id().primary();
      c.text('job').notNullable();
      c.time('started_at').notNullable();
      c.time('ended_at').notNullable();
      c.choice('status', ['ok', 'failed']).notNullable();
      c.int('ms', 0).notNullable();
      c.json('result');
      c.text('error');
      // Null: it was due.
      c.text('started_by');
      t.index(['job', 'started_at']);
      // Only so many of each outcome are kept.
      t.index(['job', 'status', 'started_at']);
      t.index(['started_at']);
    });
    await knex.schema.alterTable('scheduled_jobs', (t) => {
      const c = columnsOf(t, dialect);
      c.time('paused_at');
      c.text('paused_by');
    });
    await knex.schema.alterTable('tasks', (t) => {
      // Of whoever began it; null for a command and for the program itself.
      columnsOf(t, dialect).text('actor_id');
      t.index(['tenant_id', 'created_at']);
    });
  },
  async down(knex) {
    await knex.schema.alterTable('tasks', (t) => {
      t.dropIndex(['tenant_id', 'created_at']);
    });
    await knex.raw('ALTER TABLE tasks DROP COLUMN actor_id');
    for (const column of ['paused_by', 'paused_at'])
      await knex.raw(`ALTER TABLE scheduled_jobs DROP COLUMN ${column}`);
    await knex.schema.dropTable('job_runs');
  },
};
