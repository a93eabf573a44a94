// A look at reports or at the first page of the shop never reads through orders: reports ask sums alone, and what the first
// page asks of orders is a few rows by an index. Each statement that the server runs meanwhile is looked at.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Compiled } from '#kernel/db/compiled.ts';
import type { Db } from '#kernel/db/database.ts';
import { REPORT_NAMES } from '#storefront/tools/reports/kinds/kinds.ts';
import { member } from '../platform/panel/staff.ts';
import type { Browser } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';

/** What is written for each order: as many rows as orders, or more. */
const OF_ORDERS = [
  'orders',
  'order_items',
  'order_addresses',
  'order_adjustments',
  'order_events',
  'payments',
  'refunds',
  'refund_items',
  'shipments',
  'report_orders',
];

interface Ran {
  readonly sql: string;
  readonly values: readonly unknown[];
}
type Asked = 'first' | 'all' | 'run';

let shop: OrderShop;
let browser: Browser;
let variant: string;
const ran: Ran[] = [];

/** Notes what the server asks of its database, through compiled statements and through knex. */
function watch(db: Db): void {
  const open = db as { -readonly [K in keyof Db]: Db[K] };
  for (const name of ['first', 'all', 'run'] as const satisfies readonly Asked[]) {
    const ask = db[name].bind(db) as (statement: Compiled, values: unknown[]) => never;
    open[name] = (statement: Compiled, values: unknown[]) => {
      ran.push({ sql: statement.sql, values: [...values] });
      return ask(statement, values);
    };
  }
  db.knex.on('query', ({ sql, bindings }: { sql: string; bindings?: unknown[] }) => {
    ran.push({ sql, values: bindings ?? [] });
  });
}

beforeAll(async () => {
  shop = await openOrderShop();
  ({ browser } = await member(shop.app));
  variant = await shop.stocked(50);
  await shop.placed(variant, 2);
  await shop.placed(variant, 1, 'offline');
  await runJob(shop.app.ctx, 'count-reports');
  // What the frame of every page asks is remembered.
  await browser.open('/store/');
  await readIndexes();
  watch(shop.app.instance.database.db);
}, 240_000);
afterAll(() => shop.app.close());

const named = ({ sql }: Ran): string[] =>
  OF_ORDERS.filter((table) => new RegExp(`(?:from|join)\\s+["\`]?${table}["\`]?(?![\\w.])`, 'i').test(sql));

async function statementsOf(open: () => Promise<{ status: number }>): Promise<Ran[]> {
  ran.length = 0;
  expect((await open()).status).toBe(200);
  const found = [...ran];
  expect(found.length).toBeGreaterThan(0);
  return found;
}

const range = (days: number): string => {
  const today = shop.app.ctx.now().slice(0, 10);
  const from = new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);
  return String(new URLSearchParams({ from, to: today, compare: 'previous' }));
};

const pages = (days: number) =>
  REPORT_NAMES.flatMap((name) => [
    `/store/reports/${name}${name === 'inventory' ? '' : `?${range(days)}`}`,
    `/api/store/reports/${name}${name === 'inventory' ? '' : `?${range(days)}`}`,
    `/api/store/reports/${name}/export.csv`,
  ]);

it.each([7, 400, 3000])('reports of %i days ask nothing of orders that are counted', async (days) => {
  for (const page of ['/store/reports', ...pages(days)]) {
    const asked = (await statementsOf(() => browser.open(page))).filter((one) => named(one).length > 0);
    // Orders that wait to be counted: of none there is nothing to ask.
    expect(asked.map(({ sql }) => sql)).toEqual([]);
  }
});

it('while orders wait to be counted only these are read', async () => {
  await shop.placed(variant);
  const { ids, scanned } = await scansOf(await statementsOf(() => browser.open('/store/reports/sales')));
  expect(ids).toBeGreaterThan(3);
  expect(scanned).toEqual([]);
  await runJob(shop.app.ctx, 'count-reports');
});

it.each(['/store/?range=90d', '/api/store/dashboard?range=90d'])(
  '%s asks a few orders by an index',
  async (page) => {
    const { ids, scanned } = await scansOf(await statementsOf(() => browser.open(page)));
    expect(ids).toBeGreaterThan(0);
    expect(scanned).toEqual([]);
  },
);

it('what reads through orders is found, in each way in which it could be asked', async () => {
  const { knex } = shop.app.ctx.db;
  const since = shop.app.ctx.now().slice(0, 4);
  const planted = [
    () => knex('orders').sum({ cents: 'total_cents' }),
    () => knex('orders').where('placed_at', '>=', since).count({ count: '*' }),
    () => knex({ o: 'orders' }).join({ i: 'order_items' }, 'i.order_id', 'o.id').sum('i.quantity'),
    () => knex('orders').whereNotNull('placed_at').orderBy('total_cents', 'desc').limit(5),
    () => knex('report_orders').count({ count: '*' }),
  ];
  for (const plant of planted) {
    ran.length = 0;
    await plant();
    const { ids, scanned } = await scansOf(ran.splice(0));
    expect([ids, scanned.length]).toEqual([1, 1]);
  }
});

/** Those of some statements that name an order's tables, and of these the ones that read more than a few of their rows. */
async function scansOf(statements: readonly Ran[]): Promise<{ ids: number; scanned: string[] }> {
  const those = statements.filter((one) => named(one).length > 0);
  const scanned: string[] = [];
  const isPostgres = shop.app.ctx.db.dialect === 'postgres';
  for (const one of those) {
    const found = await (isPostgres ? readsThroughOnPostgres(one) : readsThroughOnSqlite(one));
    if (found !== null) scanned.push(found);
  }
  return { ids: those.length, scanned };
}

let explained = 0;
/** Past what is noted: a statement of its own. */
async function explain<R>(prefix: string, { sql, values }: Ran): Promise<R[]> {
  const id = -1_000_000 - explained++;
  const rows = await shop.app.ctx.db.all<R>({ id, sql: `${prefix} ${sql}`, order: [] }, [...values]);
  ran.pop();
  return rows;
}

/** Indexes over a few rows, such as the orders that wait for a review. */
const ofFew = new Set<string>();
async function readIndexes(): Promise<void> {
  const { knex, dialect } = shop.app.ctx.db;
  const rows: { name: string; sql: string | null }[] =
    dialect === 'postgres'
      ? await knex('pg_indexes').where('schemaname', 'public').select({ name: 'indexname', sql: 'indexdef' })
      : await knex('sqlite_master').where('type', 'index').select('name', 'sql');
  for (const { name, sql } of rows)
    if (/ where /i.test(sql ?? '') && !/is not null/i.test(sql ?? '')) ofFew.add(name);
}

const isShort = (sql: string): boolean => /\blimit (\?|\$\d+|\d+)/i.test(sql);

/** An index with an equality leads to few rows; a walk that ends after some rows is one, unless they are sorted first. */
async function readsThroughOnSqlite(one: Ran): Promise<string | null> {
  const steps = (await explain<{ detail: string }>('EXPLAIN QUERY PLAN', one)).map(({ detail }) => detail);
  const names = new Set(
    named(one).flatMap((table) => {
      const aliased = new RegExp(`["\`]?${table}["\`]?\\s+(?:as\\s+)?["\`]?(\\w+)`, 'gi');
      return [table, ...[...one.sql.matchAll(aliased)].map(([, alias]) => alias ?? '')];
    }),
  );
  const isSorted = steps.some((step) => /TEMP B-TREE FOR ORDER BY/.test(step));
  const isThrough = steps.some((step) => {
    const [, way, name = ''] = /^(SCAN|SEARCH) (\w+)/.exec(step) ?? [];
    if (!names.has(name) || (way === 'SEARCH' && /\w=\?/.test(step))) return false;
    const [, index = ''] = /USING (?:COVERING )?INDEX (\w+)/.exec(step) ?? [];
    return !(ofFew.has(index) || (isShort(one.sql) && index !== '' && !isSorted));
  });
  return isThrough ? [one.sql, ...steps].join('\n') : null;
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** As it would be with many rows: with few ones Postgres reads all of them, since that is least. */
async function readsThroughOnPostgres(one: Ran): Promise<string | null> {
  const { knex } = shop.app.ctx.db;
  return knex.transaction(async (trx) => {
    for (const way of ['seqscan', 'bitmapscan']) await trx.raw(`SET LOCAL enable_${way} = off`);
    let number = 0;
    const sql = one.sql.replaceAll('?', () => `$${++number}`);
    const values = one.values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value));
    const plans = await trx.raw(`EXPLAIN (FORMAT JSON) ${written(sql, values)}`);
    ran.length = Math.min(ran.length, 0);
    const [row] = plans.rows as [{ 'QUERY PLAN': string | [{ Plan: Plan }] }];
    const told = row['QUERY PLAN'];
    const [{ Plan }] = typeof told === 'string' ? (JSON.parse(told) as [{ Plan: Plan }]) : told;
    return readsThrough(Plan, false) ? [one.sql, JSON.stringify(Plan)].join('\n') : null;
  });
}

/** A statement with its values in it: a plan may depend on them. */
const written = (sql: string, values: readonly unknown[]): string =>
  sql.replaceAll(/\$(\d+)/g, (_, at: string) => {
    const value = values[Number(at) - 1];
    return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
  });

/** @param isShort under a limit, with nothing between that needs all rows */
function readsThrough(plan: Plan, isShort: boolean): boolean {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Cond': condition = '', Plans = [] } = plan;
  const isIndex = type.startsWith('Index');
  const isFew = isIndex && (/ = /.test(condition) || isShort || ofFew.has(plan['Index Name'] ?? ''));
  if (OF_ORDERS.includes(table) && !isFew) return true;
  const passes = type === 'Limit' || (isShort && /^(Result|Subquery Scan|Nested Loop)$/.test(type));
  return Plans.some((one) => readsThrough(one, passes));
}
