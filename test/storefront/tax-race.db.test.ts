// Two processes set up tax at once: a code is taken once, and a class has one compound rate.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as tax from '#storefront/pricing/tax/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Rival, startRival } from '../support/rival.ts';
import type { TaxWork } from '../support/tax-process.ts';

type Tally = Record<string, number>;

let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival<TaxWork, Tally>[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  const rival = () => startRival<TaxWork, Tally>('tax-process.ts', installation.cwd, database.url);
  rivals = await Promise.all([rival(), rival()]);
}, 60_000);
afterAll(async () => {
  await Promise.all(rivals.map((one) => one.stop()));
  await instance.close();
  installation.remove();
  await database.drop();
});

it('each code makes one class, and a class has one compound rate, whichever process comes first', async () => {
  const { ctx } = instance;
  const zone = await tax.createZone(ctx, { name: 'Quebec', regions: [{ country: 'CA', state: 'QC' }] });
  const codes = Array.from({ length: 20 }, (_, at) => `class_${at}`);
  const work = { codes, zoneId: zone.id, taxClassId: tax.STANDARD_CLASS, rates: 10 };
  const tallies = await Promise.all(rivals.map((one) => one.work(work)));
  const sum = (name: string) => tallies.reduce((total, tally) => total + (tally[name] ?? 0), 0);
  expect({ classes: sum('class'), rates: sum('rate'), refused: sum('DUPLICATE') }).toEqual({
    classes: 20,
    rates: 1,
    refused: 20 + 19,
  });
  const place = { country: 'CA', state: 'QC', postalCode: null };
  expect((await tax.taxesAt(ctx, place)).ofGoods(null)).toEqual([
    { name: 'QST', ppm: 99_750, isCompound: true },
  ]);
});
