// Orders that are placed while several processes count them for reports, and count all of them again: each counts once.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as settings from '#platform/settings/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import type { CheckoutWork } from '../support/checkout-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { runJob } from '../support/jobs.ts';
import type { ReportWork } from '../support/report-process.ts';
import { type Rival, startRival } from '../support/rival.ts';

const SHOPPERS = 40;
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let shoppers: Rival<CheckoutWork, Record<string, number>>;
let counters: Rival<ReportWork, { counted: number }>[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  await settings.set(instance.ctx, { key: 'payment_processor', value: 'offline' });
  shoppers = await startRival('checkout-process.ts', installation.cwd, database.url);
  counters = await Promise.all(
    [1, 2].map(() =>
      startRival<ReportWork, { counted: number }>('report-process.ts', installation.cwd, database.url),
    ),
  );
}, 180_000);
afterAll(async () => {
  await Promise.all([shoppers, ...counters].map((one) => one.stop()));
  await instance.close();
  installation.remove();
  await database.drop();
});

const made = { title: 'Chart', type: 'digital', status: 'active' } as const;

it('two processes count at once, and one counts all again: the figures are those of the orders', async () => {
  const { id } = await products.create(instance.ctx, {
    ...made,
    variants: [{ sku: 'CHART', priceCents: 1900, requiresShipping: false, stock: SHOPPERS }],
  });
  const variantId = (await products.getWhole(instance.ctx, id)).variants[0]?.id ?? '';
  const [placed] = await Promise.all([
    shoppers.work({ name: 'chart', variantId, shoppers: SHOPPERS }),
    counters[0]?.work({ runs: 30, again: [3, 9] }),
    counters[1]?.work({ runs: 30, again: [6] }),
  ]);
  await runJob(instance.ctx, 'count-reports');
  const { knex } = instance.database.db;
  const [orders] = await knex('orders')
    .whereNotNull('placed_at')
    .count({ count: '*' })
    .sum({ cents: 'total_cents' });
  expect(Number(orders?.count), JSON.stringify(placed)).toBe(SHOPPERS);
  for (const grain of ['day', 'month']) {
    const [sums] = await knex('report_sales').where({ grain }).sum({ count: 'orders', cents: 'total_cents' });
    expect([Number(sums?.count), Number(sums?.cents)]).toEqual([
      Number(orders?.count),
      Number(orders?.cents),
    ]);
  }
  expect(await knex('report_changes')).toEqual([]);
}, 180_000);
