// 50 activations of a license with one slot, spread over two real processes, give exactly one success: on SQLite a
// server and a command beside it, on Postgres two servers (reliability M3).
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { activate, deactivate, releaseMachine } from '#licensing/licenses/machines/index.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { type Activator, startActivator } from '../support/activator.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { openHttpClient } from '../support/http-client.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

const ROUNDS = 5;
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Activator[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  const { secret } = await apiKeys.create(instance.ctx, {
    service: 'license',
    name: 'race',
    scope: 'FULL_ADMIN',
    scopes: ['FULL_ADMIN'],
  });
  const second =
    inject('databaseKind') === 'postgres'
      ? serverRival(secret)
      : startActivator(installation.cwd, environment());
  rivals = await Promise.all([serverRival(secret), second]);
});
afterAll(async () => {
  await Promise.all(rivals.map((rival) => rival.stop()));
  await instance.close();
  installation.remove();
  await database.drop();
});

const environment = () => ({
  APPCTL_DATA_DIR: join(installation.cwd, 'data'),
  APPCTL_DATABASE_URL: database.url,
  APPCTL_RATE_LIMIT: 'off',
});

async function serverRival(key: string): Promise<Activator> {
  const server: ServerProcess = await startServer([], { cwd: installation.cwd, env: environment() });
  const client = openHttpClient(server.url);
  return {
    activate: (licenseKey, machineIds) =>
      Promise.all(
        machineIds.map(async (machineId) => {
          const reply = await client.send('/api/v1/license/activate', {
            key,
            body: { licenseKey, machineId },
          });
          return reply.status === 200 ? 'activated' : String(reply.body.error?.code);
        }),
      ),
    stop: () => {
      client.close();
      return server.stop();
    },
  };
}

const machines = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}-${index}-machine`);
const count = (outcomes: string[], wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;

async function makeLicense(maxActivations: number, slug: string) {
  const product = await products.create(instance.ctx, { name: slug, slug });
  const input = { productId: product.id, customerEmail: 'ann@x.test', maxActivations };
  const { license } = await licenses.create(instance.ctx, input, { source: 'CLI', idempotency: null });
  return { id: license.id, key: String(licenses.licenseView(instance.ctx, license, { reveal: true }).key) };
}

const eventsOf = async (subject: string) => {
  const rows: { type: string }[] = await instance.database.db
    .knex('events')
    .where({ subject })
    .select('type');
  return rows.map(({ type }) => type);
};

it('one slot, 50 machines, two processes: one success, one row, one event', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id, key } = await makeLicense(1, `one-slot-${round}`);
    const sides = rivals.map((rival, side) => rival.activate(key, machines(`side-${side}`, 25)));
    const outcomes = (await Promise.all(sides)).flat();
    expect([count(outcomes, 'activated'), count(outcomes, 'ACTIVATION_FAILED')]).toEqual([1, 49]);
    expect(await licenses.listActivations(instance.ctx, id)).toHaveLength(1);
    const events = await eventsOf(id);
    expect([count(events, 'LICENSE_ACTIVATED'), count(events, 'ACTIVATION_LIMIT_REACHED')]).toEqual([1, 49]);
  }
});

it('one machine, 50 times, two processes: every answer is a success, one row, one event', async () => {
  const { id, key } = await makeLicense(5, 'one-machine');
  const same = Array.from({ length: 25 }, () => 'the-same-machine');
  const outcomes = (await Promise.all(rivals.map((rival) => rival.activate(key, same)))).flat();
  expect(count(outcomes, 'activated')).toBe(50);
  expect(await licenses.listActivations(instance.ctx, id)).toHaveLength(1);
  expect(count(await eventsOf(id), 'LICENSE_ACTIVATED')).toBe(1);
});

it('a slot that is freed while both ask is given once', async () => {
  const { id, key } = await makeLicense(1, 'freed-slot');
  await activate(instance.ctx, { licenseKey: key, machineId: 'first-machine' });
  const sides = rivals.map((rival, side) => rival.activate(key, machines(`side-${side}`, 25)));
  const freeing = deactivate(instance.ctx, { licenseKey: key, machineId: 'first-machine' });
  const outcomes = (await Promise.all(sides)).flat();
  await freeing;
  expect(count(outcomes, 'activated')).toBeLessThanOrEqual(1);
  expect(count(outcomes, 'activated') + count(outcomes, 'ACTIVATION_FAILED')).toBe(50);
  expect(await licenses.listActivations(instance.ctx, id)).toHaveLength(count(outcomes, 'activated'));
});

it('machines that ask while the seats are lowered: those before stay, no other one gets in', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id, key } = await makeLicense(10, `lowered-${round}`);
    const sides = rivals.map((rival, side) => rival.activate(key, machines(`side-${side}`, 25)));
    const { activationsUsed, maxActivations } = await licenses.setSeats(instance.ctx, id, 3);
    const outcomes = (await Promise.all(sides)).flat();
    expect(maxActivations).toBe(3);
    expect(await licenses.listActivations(instance.ctx, id)).toHaveLength(Math.max(activationsUsed, 3));
    expect(count(outcomes, 'activated')).toBe(Math.max(activationsUsed, 3));
    expect(count(outcomes, 'ACTIVATION_FAILED')).toBe(50 - Math.max(activationsUsed, 3));
  }
});

it('a machine that its customer frees while both ask: its slot is given once', async () => {
  const { id, key } = await makeLicense(1, 'released-slot');
  await activate(instance.ctx, { licenseKey: key, machineId: 'first-machine' });
  const [held] = await licenses.listActivations(instance.ctx, id);
  const sides = rivals.map((rival, side) => rival.activate(key, machines(`side-${side}`, 25)));
  const freed = await Promise.allSettled([
    releaseMachine(instance.ctx, id, held?.id ?? ''),
    releaseMachine(instance.ctx, id, held?.id ?? ''),
  ]);
  const outcomes = (await Promise.all(sides)).flat();
  expect(freed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(count(outcomes, 'activated')).toBeLessThanOrEqual(1);
  expect(await licenses.listActivations(instance.ctx, id)).toHaveLength(count(outcomes, 'activated'));
  expect(count(await eventsOf(id), 'LICENSE_DEACTIVATED')).toBe(1);
});
