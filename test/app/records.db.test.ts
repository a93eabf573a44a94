// Every table is described by a record or has a reason not to be, and what records say is so (architecture section 7).
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Column } from '#kernel/db/column.ts';
import type { TableRecord } from '#kernel/db/record.ts';
import { listTables } from '#kernel/db/schema.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import { customerRecord } from '#licensing/catalog/customers/index.ts';
import { capabilities } from '../../src/app/capabilities.ts';
import { entities } from '../../src/licensing/moving/portability/entities.ts';

import { exported } from '../licensing/filled-installation.ts';
import { openTestContext, type TestContext } from '../support/context.ts';

/** Tables without a record. */
const reasons: Record<string, string> = {
  schema_migrations: 'the migrator knows it before any capability is loaded',
  counters: 'numbers by name',
  events: 'the outbox alone writes it; nobody is named by address in it, but for what an erasure rewrites',
  outbox: 'a queue: rows live until they are settled',
  scheduled_jobs: 'leases of jobs',
  tasks: 'progress of tasks, by their statements alone',
  rate_limits: 'its form is given by rate-limiter-flexible',
  audit_head: 'one row: the end of the audit log',
  settings: 'keys and values: each setting says itself whether it is secret',
  admin_user_roles: 'two references',
  admin_user_scopes: 'a reference, and the id of a row that it may see',
  role_permissions: 'a reference, and a name of the program',
  license_abuse_rules: 'thresholds of a tenant',
  license_abuse_flags: 'counters about a license, kept with it',
  license_bundles: 'contents by their hashes',
  license_release_stats: 'counts by day',
  license_stats: 'counts by day, written by one statement',
  license_idempotency: 'a key and the license that it made, kept with it',
  license_trial_uses: 'digests of machines and ids of customers, kept with their license',
  license_usage: 'counts of a license, kept with it; by one compiled statement',
};

const records: readonly TableRecord[] = capabilities.flatMap((one) => one.records ?? []);
const named = records.map((record) => [record.table, record] as const);
const traitsOf = (record: TableRecord): [string, Column['traits']][] =>
  Object.entries(record.columns).map(([name, { traits }]) => [record.nameOf(name), traits]);

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
});
afterAll(() => t.close());

test('every table has one record, or a reason', async () => {
  const described = [...records.map(({ table }) => table), ...Object.keys(reasons)];
  expect(described.toSorted()).toEqual((await listTables(t.database.db)).toSorted());
});

interface Key {
  column: string;
  /** null for the primary key. */
  target: string | null;
}

const KEYS = {
  sqlite: `SELECT name AS "column", NULL AS target FROM pragma_table_info(:table) WHERE pk > 0
    UNION ALL SELECT "from", "table" FROM pragma_foreign_key_list(:table)`,
  postgres: `SELECT a.attname AS column, CASE c.contype WHEN 'f' THEN c.confrelid::regclass::text END AS target
    FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
    WHERE c.conrelid = CAST(:table AS regclass) AND c.contype IN ('p', 'f')`,
};

async function keysOf(table: string): Promise<Key[]> {
  const kind = inject('databaseKind');
  const found: unknown = await t.database.db.knex.raw(KEYS[kind], { table });
  return kind === 'postgres' ? (found as { rows: Key[] }).rows : (found as Key[]);
}

describe.each(named)('%s', (table, record) => {
  test('has the columns of its record, empty where it says so', async () => {
    const info = await t.database.db.knex(table).columnInfo();
    const keys = new Set(record.key);
    const stored = Object.entries(info).map(([name, { nullable }]) => [name, nullable && !keys.has(name)]);
    const said = traitsOf(record).map(([name, { isNullable }]) => [name, isNullable]);
    expect(said.toSorted()).toEqual(stored.toSorted());
  });

  test('has the key and the references of its record', async () => {
    const keys = await keysOf(table);
    const primary = keys.filter(({ target }) => target === null).map(({ column }) => column);
    expect(primary.toSorted()).toEqual([...record.key].toSorted());
    const traits = new Map(traitsOf(record));
    for (const { column, target } of keys.filter((key) => key.target !== null))
      expect([column, traits.get(column)?.target]).toEqual([column, target]);
  });

  test('keeps nothing personal for ever without a word', () => {
    const staying = traitsOf(record).filter(
      ([, { personal, derive }]) => personal && !personal.erased && !derive,
    );
    expect(staying.length === 0 || record.kept.length > 0).toBe(true);
  });

  test('reads no secret into its objects', () => {
    const secrets = traitsOf(record).filter(([, { isSecret }]) => isSecret);
    expect(secrets.filter(([, { isShown }]) => isShown)).toEqual([]);
  });
});

test('exports hold neither what is secret nor what is of this server only', () => {
  for (const { kind, record, fields } of Object.values(entities)) {
    const traits = new Map(traitsOf(record));
    for (const { column } of Object.values(fields)) {
      const { isSecret, isLocal } = traits.get(column) as Column['traits'];
      expect([kind, column, isSecret]).toEqual([kind, column, false]);
      // A counter leaves by a row of its own.
      if (kind !== 'usage_total') expect([kind, column, isLocal]).toEqual([kind, column, false]);
    }
  }
});

test('an export after an erasure holds nothing of what the record calls personal', async () => {
  const personal = { email: 'Ann.Example@shop.test', name: 'Ann Example', metadata: { phone: '555-0100' } };
  const { id } = await customers.create(t.ctx, personal);
  const ofCustomers = () => exported(t, { kinds: ['customer'], includeKeys: false });
  expect(await ofCustomers()).toContain('Ann.Example@shop.test');
  await customers.erase(t.ctx, id);
  const [row] = await t.database.db.knex(customerRecord.table).where({ id });
  for (const text of [await ofCustomers(), JSON.stringify(row)])
    expect(text).not.toMatch(/ann|shop\.test|555-0100|phone/i);
});
