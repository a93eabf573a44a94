// Reports over 200,000 orders of two years: each page takes at most 300 ms, from the tables of sums alone.
import { begin, countChanges } from '#storefront/tools/reports/fold.ts';
import { REPORT_NAMES } from '#storefront/tools/reports/kinds/kinds.ts';
import type { Browser } from '../support/browser.ts';
import { openHttpClient } from '../support/http-client.ts';
import { seedDatabases } from './databases.ts';
import { median } from './medians.ts';
import type { BenchOptions, DatabaseKind } from './options.ts';
import { createOwner, settle, signedIn } from './panel.ts';
import { copyProducts } from './product-copies.ts';
import type { Verdict } from './ratios.ts';
import { type Installation, withInstance } from './seed.ts';
import { DAYS, seedOrders } from './shop-reports-seed.ts';
import { seedShop } from './shop-seed.ts';
import { served } from './staff.ts';

const DAY_MS = 86_400_000;
const TIMES = 9;
/** Products that are made as staff make them; the others are copies of them. */
const MADE = 3;
const MOST_MS = 300;
/** Up to today, each compared with as many days before: a page shows both. */
const RANGES = { '30 days': 30, 'a year': 365, 'all days': DAYS } as const;

/** @param options `orders` that the shop took of its `products` */
export async function measureReports(
  kind: DatabaseKind,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<Verdict[]> {
  const seeded = await seedDatabases(kind, { ...options, licenses: 100, fewLicenses: 10 });
  const installation = seeded.installations.large;
  try {
    await seedShop(installation, MADE, () => undefined);
    await copyProducts(installation, options.products);
    say(`${options.products.toLocaleString('en')} products`);
    await seedOrders(installation, options.orders, say);
    await createOwner(installation);
    const seconds = await counted(installation);
    await settle(installation);
    const counting: Verdict = {
      what: `${options.orders.toLocaleString('en')} orders counted for reports`,
      asked: '–',
      measured: `${seconds.toFixed(0)} s`,
      ok: null,
    };
    const pages = await served(installation, 'reports', async (server) => {
      const client = openHttpClient(server.url);
      try {
        return await measurePages(await signedIn(client));
      } finally {
        client.close();
      }
    });
    const verdicts = [counting, ...pages].map((one) => ({ ...one, what: `${kind}: ${one.what}` }));
    for (const { what, measured } of verdicts) say(`${what}: ${measured}`);
    return verdicts;
  } finally {
    await seeded.remove();
  }
}

/** @returns how many seconds it took to count all orders */
const counted = ({ dataDir, databaseUrl }: Installation): Promise<number> =>
  withInstance(dataDir, databaseUrl, async ({ ctx }) => {
    const startedMs = performance.now();
    await begin(ctx, true);
    for (let again = 1; again > 0; ) again = (await countChanges(ctx)).again;
    return (performance.now() - startedMs) / 1000;
  });

async function measurePages(browser: Browser): Promise<Verdict[]> {
  const today = new Date().toISOString().slice(0, 10);
  const since = (days: number) => new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  const verdicts = [await measurePage(browser, 'the first page of the shop, 90 days', '/store/?range=90d')];
  for (const report of REPORT_NAMES)
    for (const [label, days] of Object.entries(RANGES)) {
      const asked =
        report === 'inventory'
          ? { to: since(days) }
          : { from: since(days), to: today, compare: days === DAYS ? '' : 'previous' };
      const path = `/store/reports/${report}?${new URLSearchParams(asked)}`;
      verdicts.push(await measurePage(browser, `report ${report}, ${label}`, path));
    }
  return verdicts;
}

async function measurePage(browser: Browser, name: string, path: string): Promise<Verdict> {
  const took: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    const startedMs = performance.now();
    const { status, text } = await browser.open(path);
    took.push(performance.now() - startedMs);
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${text.slice(0, 300)}`);
  }
  const ms = median(took);
  return {
    what: name,
    asked: `≤ ${MOST_MS} ms`,
    measured: `${ms.toFixed(0)} ms (${Math.min(...took).toFixed(0)} to ${Math.max(...took).toFixed(0)})`,
    ok: ms <= MOST_MS,
  };
}
