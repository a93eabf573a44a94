import type { Knex } from 'knex';
import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Schedules that operators give to jobs, and one-off tasks with their progress (decision 0035). */
export const m0010TasksAndSchedules: Migration = {
  name: '0010-tasks-and-schedules',
  async up(knex, dialect) {
    await knex.schema.alterTable('scheduled_jobs', (t) => {
      columnsOf(t, dialect).text('schedule');
    });
    await createTasks(knex, dialect);
  },
  async down(knex) {
    await knex.schema.dropTable('tasks');
    await knex.raw('ALTER TABLE scheduled_jobs DROP COLUMN schedule');
  },
};

async function createTasks(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'tasks', (c) => {
    c.text('id').primary();
    c.text('tenant_id').notNullable();
    c.text('kind').notNullable();
    c.text('status').notNullable();
    c.text('started_by').notNullable();
    c.json('params').notNullable();
    // How far it is; `total` is null as long as nobody knows.
    c.big('done', 0).notNullable();
    c.big('total', 0);
    c.json('report');
    c.text('error');
    c.flag('cancel_asked', false);
    c.text('lock_owner');
    // A running task moves it on each second: one that did not is lost.
    c.time('locked_until');
    c.time('finished_at');
  });
  await knex.raw("CREATE INDEX tasks_running ON tasks (locked_until) WHERE status = 'RUNNING'");
}
