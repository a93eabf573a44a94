import type { Knex } from 'knex';
import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import { appendOnlyTriggers, dropAppendOnly } from '../src/kernel/db/dialect.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Who changed what, in a chain that shows every change of itself (decision 0047). */
export const m0013Audit: Migration = {
  name: '0013-audit',
  async up(knex, dialect) {
    await createLog(knex, dialect);
    await createHead(knex, dialect);
    await createTable(knex, dialect, 'audit_subjects', (c) => {
      // Of a customer or an account: neither is referred to, since both may go.
      c.id().primary();
      // Null once the person was erased: nothing can be sealed for them again.
      c.text('sealed_key');
    });
    await knex.schema.alterTable('events', (t) => {
      columnsOf(t, dialect).text('audit_id');
    });
    // Of the head: which rows retention removes at this moment.
    const cut = 'OLD.seq <= (SELECT cut_through FROM audit_head)';
    for (const sql of appendOnlyTriggers(dialect, 'audit_log', cut)) await knex.raw(sql);
  },
  async down(knex, dialect) {
    await knex.raw('ALTER TABLE events DROP COLUMN audit_id');
    for (const table of ['audit_log', 'audit_head', 'audit_subjects']) await knex.schema.dropTable(table);
    for (const sql of dropAppendOnly(dialect, 'audit_log')) await knex.raw(sql);
  },
};

/** `at` is the time of the row; it has no other. JSON is kept as text: its bytes are what the chain covers. */
async function createLog(knex: Knex, dialect: DialectName): Promise<void> {
  await knex.schema.createTable('audit_log', (t) => {
    const c = columnsOf(t, dialect);
    c.big('seq', 1).primary();
    c.id().unique();
    c.time('at').notNullable();
    c.text('actor_kind').notNullable();
    c.text('actor_id');
    c.text('actor_label');
    c.text('via').notNullable();
    c.text('ip');
    c.text('user_agent');
    c.text('request_id');
    c.text('tenant_id').notNullable();
    c.text('action').notNullable();
    c.text('target_type').notNullable();
    c.text('target_id').notNullable();
    c.text('before');
    c.text('after');
    c.text('details').notNullable();
    c.text('note');
    // Whose the sealed part of `before` and `after` is.
    c.text('person_id');
    c.text('prev_hash').notNullable();
    c.text('hash').notNullable();
    t.index(['target_id', 'seq']);
    t.index(['actor_id', 'seq']);
    t.index(['action', 'seq']);
    t.index(['at']);
  });
}

/** The last row of the chain: whoever writes the next one holds it. */
async function createHead(knex: Knex, dialect: DialectName): Promise<void> {
  await knex.schema.createTable('audit_head', (t) => {
    const c = columnsOf(t, dialect);
    c.int('id', 1, 1).primary();
    c.big('seq', 0).notNullable();
    c.text('hash').notNullable();
    c.big('cut_through', 0).notNullable();
  });
  await knex('audit_head').insert({ id: 1, seq: 0, hash: '', cut_through: 0 });
}
