// After a run of the suite: the operations of the shop's API by tier, which of them answered as they are declared, and
// which are missing.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { beginSeenRows, endSeenRows, LATER, type StoreRow, storeRows } from './store-rows.ts';

const folder = join(import.meta.dirname, '../storefront');

/** Speaks only when all tests of the shop ran on both databases, which is what a whole run does. */
export class StoreReporter implements Reporter {
  onInit(): void {
    beginSeenRows();
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const seen = endSeenRows();
    const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const files = modules.filter((module) => module.moduleId.startsWith(`${folder}/`));
    if (files.length < 2 * all.filter((name) => name.endsWith('.db.test.ts')).length) return;
    process.stdout.write(`\n${tableOf(storeRows, seen)}\n`);
    if (missingOf(storeRows, seen).length > 0) process.exitCode = 1;
  }
}

/** Rows of the first tier that nothing answered for, and that are not to come later. */
export const missingOf = (rows: readonly StoreRow[], seen: ReadonlyMap<string, number>): StoreRow[] =>
  rows.filter(({ name, tier }) => tier === '1' && !seen.has(name) && !LATER.includes(name));

/** @param seen how often each row answered in the run, by name */
export function tableOf(rows: readonly StoreRow[], seen: ReadonlyMap<string, number>): string {
  const tiers = (['1', '2', '3'] as const).map((tier) => {
    const own = rows.filter((row) => row.tier === tier);
    const done = own.filter(({ name }) => seen.has(name)).length;
    const later = own.filter(({ name }) => !seen.has(name) && LATER.includes(name)).length;
    const said = later > 0 ? `, ${later} come later` : '';
    return `Tier ${tier}: ${done} of ${own.length} rows answered as declared${said}`;
  });
  return [
    "Operations of the shop's API by tier, and those that the tests held an answer against:",
    ...tiers,
    ...missingOf(rows, seen).map(({ name }) => `FAILED no test was answered: ${name}`),
  ].join('\n');
}
