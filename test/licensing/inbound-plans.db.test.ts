// Statements of the inbox find their rows by an index: it keeps every purchase of years, and each purchase asks it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SYSTEM } from '#kernel/actor.ts';
import { createContext } from '#kernel/bound-context.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Compiled } from '#kernel/db/compiled.ts';
import type { Db } from '#kernel/db/database.ts';
import { emptyInbox } from '#licensing/purchases/inbox/index.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import { listLicensesOf, settleOthers } from '../../src/licensing/purchases/inbox/claims/repository.ts';
import { listDue } from '../../src/licensing/purchases/inbox/events/repository.ts';
import { openTestContext, type TestContext } from '../support/context.ts';

let test: TestContext;
/** As `test.ctx`, writing down what it runs. */
let ctx: Ctx;
const ran = new Map<string, { sql: string; values: unknown[] }>();

function noting(db: Db): Db {
  const note = (name: 'first' | 'all' | 'run') => (statement: Compiled, values: unknown[]) => {
    ran.set(statement.sql, { sql: statement.sql, values: [...values] });
    return db[name](statement, values);
  };
  return { ...dialectOf(db), first: note('first'), all: note('all'), run: note('run') } as Db;
}
const dialectOf = ({ dialect, holdsWriteLock }: Db) => ({ dialect, holdsWriteLock });

beforeAll(async () => {
  test = await openTestContext();
  const { database } = test.runtime;
  const noted = Object.create(database, {
    db: { value: noting(database.db) },
    transaction: {
      value: (work: (db: Db) => unknown) => database.transaction(async (db) => work(noting(db))),
    },
  });
  ctx = createContext({ ...test.runtime, database: noted }, DEFAULT_TENANT_ID, SYSTEM);
});
afterAll(() => test.close());

const at = '2026-03-01T12:00:00.000Z';

it.each<[string, (ctx: Ctx) => Promise<unknown>]>([
  ['what is due', (ctx) => listDue(ctx, at)],
  ['the licenses of a payment', (ctx) => listLicensesOf(ctx, 'c', { paymentId: 'p', orderId: null })],
  ['the others', (ctx) => settleOthers(ctx, { id: 'x', configId: 'c', paymentId: 'p', orderId: 'o' })],
  ['what the retention empties', (ctx) => emptyInbox(ctx, at)],
])('%s', async (_name, run) => {
  ran.clear();
  await ctx.tx(run);
  expect(ran.size).toBeGreaterThan(0);
  // Only SQLite plans without statistics, and so always alike.
  if (ctx.db.dialect === 'postgres') return;
  for (const { sql, values } of ran.values()) {
    const plan: { detail: string }[] = await test.ctx.db.knex.raw(
      `EXPLAIN QUERY PLAN ${sql}`,
      values as string[],
    );
    const steps = plan.map(({ detail }) => detail);
    expect(steps.filter((step) => /^SCAN \S+$|\(config_id=\?\)$/.test(step))).toEqual([]);
  }
});
