import { afterAll, beforeAll, expect, it } from 'vitest';
import { isForeignKeyViolation, isUniqueViolation } from '#kernel/db/dialect.ts';
import { openTestContext, type TestContext } from '../support/context.ts';

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
  await t.database.transaction(async ({ knex }) => {
    await knex.schema.createTable('owners', (table) => void table.text('id').primary());
    await knex.schema.createTable('things', (table) => {
      table.text('id').primary();
      table.text('owner_id').references('id').inTable('owners').onDelete('RESTRICT');
    });
    await knex('owners').insert({ id: 'ann' });
    await knex('things').insert({ id: 'pen', owner_id: 'ann' });
  });
});
afterAll(() => t.close());

const failureOf = (
  table: string,
  change: 'insert' | 'delete',
  row: Record<string, string>,
): Promise<unknown> =>
  t.database
    .transaction(async ({ knex }) => {
      await (change === 'insert' ? knex(table).insert(row) : knex(table).where(row).delete());
    })
    .catch((error: unknown) => error);

it('a row that is referred to cannot go, and none can refer to nothing', async () => {
  expect(isForeignKeyViolation(await failureOf('owners', 'delete', { id: 'ann' }))).toBe(true);
  expect(isForeignKeyViolation(await failureOf('things', 'insert', { id: 'cup', owner_id: 'bob' }))).toBe(
    true,
  );
});

it('other violations are none', async () => {
  const twice = await failureOf('owners', 'insert', { id: 'ann' });
  expect([isUniqueViolation(twice), isForeignKeyViolation(twice)]).toEqual([true, false]);
  expect(isForeignKeyViolation(new Error('FOREIGN KEY constraint failed'))).toBe(false);
});
