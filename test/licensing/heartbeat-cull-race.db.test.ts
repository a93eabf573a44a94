// The cull in real processes: two commands at once on one database, and heartbeats that come while one runs (C12, C14).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { heartbeats } from '#licensing/licenses/heartbeats/capability.ts';
import { heartbeat } from '#licensing/licenses/heartbeats/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';

type Run = { result: Record<string, number> };

const LICENSES = 60;
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
});
afterAll(async () => {
  await instance.close();
  installation.remove();
  await database.drop();
});

/** Licenses with one machine each, last seen a year ago. */
async function staleLicenses(slug: string, heartbeatCullStrategy: 'DEACTIVATE_DEAD' | 'SUSPEND_LICENSE') {
  const { ctx } = instance;
  const policy = await policies.create(ctx, { name: slug, heartbeatInterval: 1, heartbeatCullStrategy });
  const product = await products.create(ctx, { name: slug, slug, policyId: policy.id });
  const made = await Promise.all(
    Array.from({ length: LICENSES }, async () => {
      const input = { productId: product.id, customerEmail: 'ann@x.test' };
      const { license } = await licenses.create(ctx, input, { source: 'CLI', idempotency: null });
      const key = String(licenses.licenseView(ctx, license, { reveal: true }).key);
      await machines.activate(ctx, { licenseKey: key, machineId: 'machine-0001' });
      return { id: license.id, key };
    }),
  );
  const ids = made.map(({ id }) => id);
  await instance.database.transaction(({ knex }) =>
    knex('license_activations')
      .whereIn('license_id', ids)
      .update({ last_seen_at: '2020-01-01T00:00:00.000Z' }),
  );
  return made;
}

const culling = () => installation.json<Run>(['jobs', 'run', 'heartbeat-cull', '--wait']);
const here = async (): Promise<Run> => ({ result: (await heartbeats.jobs?.[0]?.run(instance.ctx)) ?? {} });
const eventsOf = async (made: { id: string }[]): Promise<Record<string, string[]>> => {
  const rows: { type: string; subject: string }[] = await instance.database.db
    .knex('events')
    .whereIn(
      'subject',
      made.map(({ id }) => id),
    )
    .whereIn('type', ['HEARTBEAT_MISSED', 'LICENSE_SUSPENDED'])
    .orderBy(['subject', 'id']);
  return Object.groupBy(rows, ({ subject }) => subject) as never;
};
const total = (runs: Run[], name: string) => runs.reduce((sum, { result }) => sum + (result[name] ?? 0), 0);

it('two `jobs run heartbeat-cull` in parallel cull each machine once', async () => {
  const made = await staleLicenses('ended', 'DEACTIVATE_DEAD');
  const runs = await Promise.all([culling(), culling()]);
  expect([total(runs, 'deactivated'), total(runs, 'failed')]).toEqual([LICENSES, 0]);
  const events = Object.values(await eventsOf(made));
  expect([events.length, events.flat().length]).toEqual([LICENSES, LICENSES]);
});

it('a command and this process, without the job lease between them, suspend each license once', async () => {
  const made = await staleLicenses('suspended', 'SUSPEND_LICENSE');
  const runs = await Promise.all([culling(), here(), here()]);
  expect([total(runs, 'suspended'), total(runs, 'failed')]).toEqual([LICENSES, 0]);
  const events = Object.values(await eventsOf(made));
  expect([events.length, events.flat().length]).toEqual([LICENSES, 2 * LICENSES]);
});

it('heartbeats during a cull: a machine was either noted and lives, or missed and refused', async () => {
  const made = await staleLicenses('beaten', 'DEACTIVATE_DEAD');
  const noted = new Set<string>();
  const beats = made.toReversed().map(({ id, key }) =>
    heartbeat(instance.ctx, { licenseKey: key, machineId: 'machine-0001' }).then(
      () => noted.add(id),
      (error: { code: string }) => expect(error.code).toBe('NOT_ACTIVATED'),
    ),
  );
  const [{ result }] = await Promise.all([here(), ...beats]);
  expect(Number(result.deactivated) + noted.size).toBe(LICENSES);
  expect(Object.keys(await eventsOf(made)).filter((id) => noted.has(id))).toEqual([]);
  const live = await instance.database.db
    .knex('license_activations')
    .whereIn(
      'license_id',
      made.map(({ id }) => id),
    )
    .whereNull('ended_at');
  expect(new Set(live.map((row) => row.license_id))).toEqual(noted);
});
