// How long a list is, when it is long (decision 0063).
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { newId } from '#kernel/ids.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';

const LONG = 10_000;
const TABLE = 'license_customers';

let test: TestContext;
beforeAll(async () => {
  test = await openTestContext();
});
afterAll(() => test.close());

const rows = selection<{ id: string }, { id: string }>({
  from: ({ db }) => db.knex(TABLE),
  id: 'id',
  scope: { tenant: 'tenant_id' },
  columns: ['id'],
  read: ({ id }) => ({ id }),
  filters: { name: filter.text({ label: 'Name', column: 'name' }) },
  sorts: { id: 'id' },
  initial: 'id',
});

let added = 0;
async function add(ctx: Ctx, count: number, name: string): Promise<void> {
  const { tenantId } = ctx;
  const at = ctx.now();
  const all = Array.from({ length: count }, () => {
    added += 1;
    const email = `customer${added}@example.com`;
    return {
      id: newId('cus', Date.parse(at)),
      tenant_id: tenantId,
      email,
      email_norm: email,
      name,
      metadata: '{}',
      created_at: at,
      updated_at: at,
    };
  });
  await test.database.transaction(async ({ knex }) => {
    for (let from = 0; from < count; from += 100) await knex(TABLE).insert(all.slice(from, from + 100));
  });
}

const totalOf = async (ctx: Ctx, name?: string): Promise<number> =>
  (await rows.page(ctx, { filters: { name }, offset: 0, limit: 1 })).total;

it('a list of 10,000 rows is counted each time, a longer one after five seconds', async () => {
  const ctx = await test.otherTenant();
  await add(ctx, LONG - 1, 'One');
  expect(await totalOf(ctx)).toBe(LONG - 1);
  await add(ctx, 1, 'One');
  expect(await totalOf(ctx)).toBe(LONG);
  await add(ctx, 1, 'One');
  expect(await totalOf(ctx)).toBe(LONG + 1);
  await add(ctx, 1, 'Two');
  expect(await totalOf(ctx)).toBe(LONG + 1);
  expect(await totalOf(ctx, 'Two')).toBe(1);
  expect(await totalOf(ctx, 'One')).toBe(LONG + 1);
  test.clock.advance(5);
  expect(await totalOf(ctx)).toBe(LONG + 2);
});

it('what one may see is never the total of another', async () => {
  const ctx = await test.otherTenant();
  await add(ctx, LONG + 1, 'Ours');
  expect(await totalOf(ctx)).toBe(LONG + 1);
  const shut = ctx.with({ actor: { ...ctx.actor, scopes: { tenant: [] } } });
  expect(await totalOf(shut)).toBe(0);
  expect(await totalOf(await test.otherTenant())).toBe(0);
});

it('the rows of a long list are read anew, and a page behind its end is empty', async () => {
  const ctx = await test.otherTenant();
  await add(ctx, LONG + 2, 'Ours');
  expect(await totalOf(ctx)).toBe(LONG + 2);
  const last = await rows.page(ctx, { offset: LONG + 1, limit: 10 });
  await test.database.transaction(async ({ knex }) => {
    expect(await knex(TABLE).where({ id: last.items[0]?.id }).delete()).toBe(1);
  });
  expect(await rows.page(ctx, { offset: LONG + 1, limit: 10 })).toEqual({ items: [], total: LONG + 2 });
});

it('few are all of them, in their order; of more there are none', async () => {
  const ctx = await test.otherTenant();
  await add(ctx, 3, 'Few');
  const ids = (await rows.few(ctx, 3))?.map(({ id }) => id);
  expect(ids).toHaveLength(3);
  expect(ids).toEqual(ids?.toSorted());
  expect(await rows.few(ctx, 2)).toBeNull();
});
