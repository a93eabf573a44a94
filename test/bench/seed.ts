// Fills an installation with licenses, the way a service has them that was sold for a year.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '#kernel/config/load.ts';
import { createLog } from '#kernel/log.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import { type Instance, openInstance } from '../../src/app/instance.ts';
import { openBulkInsert } from './bulk-insert.ts';
import { bundleBytes, publishRelease } from './release.ts';
import { catalogRows, type LicenseBatch, licenseRows } from './seed-rows.ts';

/** Where a seeded installation is. */
export interface Installation {
  dataDir: string;
  databaseUrl: string;
  /** JSON file with `Fixtures`. */
  fixtures: string;
  licenses: number;
  activations: number;
}

/** What the load client asks with. */
export interface Fixtures {
  apiKey: string;
  held: LicenseBatch['held'];
  open: string[];
}

const LICENSES_PER_BATCH = 2500;
/** Enough that no row is hot, few enough that the client prepares them quickly. */
const HELD_FIXTURES = 4000;
const BUNDLE_BYTES = 1000;

/**
 * Makes and fills an installation.
 *
 * @param dataDir new folder for the master key and, on SQLite, the database
 * @param databaseUrl an empty database
 * @param licenses how many
 */
export async function seedInstallation(
  dataDir: string,
  databaseUrl: string,
  licenses: number,
): Promise<Installation> {
  const { keyring, apiKey } = await prepare(dataDir, databaseUrl);
  const nowMs = Date.now();
  const bulk = await openBulkInsert(databaseUrl);
  const catalog = catalogRows(nowMs);
  await bulk.insert(catalog.tables);
  const held: Fixtures['held'] = [];
  const open: string[] = [];
  let activations = 0;
  for (let from = 0; from < licenses; from += LICENSES_PER_BATCH) {
    const to = Math.min(licenses, from + LICENSES_PER_BATCH);
    const batch = licenseRows(keyring, catalog, nowMs, from, to, licenses);
    await bulk.insert(batch.tables);
    for (const one of batch.held) held.push(one);
    for (const one of batch.open) open.push(one);
    activations += batch.tables.find(([table]) => table === 'license_activations')?.[1].length ?? 0;
  }
  await bulk.finish();
  await publishReleases(dataDir, databaseUrl, catalog.productIds);
  const fixtures = join(dataDir, 'fixtures.json');
  writeFileSync(
    fixtures,
    JSON.stringify({ apiKey, held: spread(held, HELD_FIXTURES), open } satisfies Fixtures),
  );
  return { dataDir, databaseUrl, fixtures, licenses, activations };
}

/** Gives every product a release, for update checks: they read of a bundle only what its row says. */
const publishReleases = (
  dataDir: string,
  databaseUrl: string,
  productIds: readonly string[],
): Promise<void> =>
  withInstance(dataDir, databaseUrl, async ({ ctx }) => {
    for (const id of productIds)
      await publishRelease(ctx, await products.get(ctx, id), bundleBytes(BUNDLE_BYTES));
  });

/** Creates master key, schema and API key through the program itself. */
const prepare = (dataDir: string, databaseUrl: string) =>
  withInstance(dataDir, databaseUrl, async ({ ctx }) => {
    const made = await apiKeys.create(ctx, {
      service: 'license',
      name: 'Bench',
      scope: 'VALIDATE_ONLY',
      scopes: ['VALIDATE_ONLY'],
    });
    return { keyring: ctx.keyring, apiKey: made.secret };
  });

/** Works with the program inside this process, on an installation that nobody serves. */
export async function withInstance<T>(
  dataDir: string,
  databaseUrl: string,
  work: (instance: Instance) => Promise<T>,
): Promise<T> {
  const env = { HOME: dataDir, APPCTL_DATA_DIR: dataDir, APPCTL_DATABASE_URL: databaseUrl };
  const { config } = await loadConfig({ env, cwd: dataDir });
  const log = createLog({ level: 'error', destination: 2 });
  const instance = await openInstance({ config, log, mode: 'prepare' });
  try {
    return await work(instance);
  } finally {
    await instance.close();
  }
}

/** Takes `count` entries from all over a list. */
function spread<T>(list: readonly T[], count: number): T[] {
  const step = Math.max(1, list.length / count);
  return Array.from({ length: Math.min(count, list.length) }, (_, i) => list[Math.floor(i * step)] as T);
}
