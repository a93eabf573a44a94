// The ids of a long list as texts, which an export reads first: all of them, in the order of the query.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Knex } from '#kernel/db/database.ts';
import { linesOf } from '#kernel/db/dialect.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
});
afterAll(() => t.close());

/** Ids whose order is neither that of the numbers nor that of the text. */
const idOf = (n: number): string => `lic_${(n * 7919) % 100_003}`;

function ids(q: Knex, count: number): Knex.QueryBuilder {
  return q
    .withRecursive('numbers', q.raw('SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < ?', [count]))
    .from('numbers')
    .where('n', '<=', count)
    .orderBy('n', 'desc')
    .select(q.raw("'lic_' || ((n * 7919) % 100003) AS id"));
}

it.each([1, 2, 16_384, 16_385, 40_000])('%d ids come whole and in order', async (count) => {
  const { knex } = t.database.db;
  const pieces = await linesOf(knex, ids(knex, count));
  const expected = Array.from({ length: count }, (_, n) => idOf(count - n));
  expect(pieces.flatMap((piece) => piece.split('\n'))).toEqual(expected);
});

it('without any there is no text', async () => {
  const { knex } = t.database.db;
  expect(await linesOf(knex, ids(knex, 0))).toEqual([]);
});
