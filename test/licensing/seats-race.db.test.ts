// 50 machines fight for 10 seats from two real processes: never more than 10 hold one, whoever looks and whenever; on
// SQLite a server and a command beside it, on Postgres two servers (licensing 5.1, 5.2; reliability M3).

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { seats as seatsCapability } from '#licensing/licenses/seats/capability.ts';
import * as seats from '#licensing/licenses/seats/index.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { compileCache } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { openHttpClient } from '../support/http-client.ts';
import { type SeatWork, type Tally, useSeats } from '../support/seat-workers.ts';
import { startServer } from '../support/server-process.ts';

type Rival = { fight(work: SeatWork): Promise<Tally>; stop(): Promise<unknown> };
type Made = { id: string; key: string };

const SEATS = 10;
const ROUNDS = 6;
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  const scope = 'VALIDATE_ONLY';
  const input = { service: 'license', name: 'race', scope, scopes: [scope] } as const;
  const { secret } = await apiKeys.create(instance.ctx, { ...input, scopes: [scope] });
  const second = inject('databaseKind') === 'postgres' ? serverRival(secret) : commandRival();
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

async function serverRival(apiKey: string): Promise<Rival> {
  const server = await startServer([], { cwd: installation.cwd, env: environment() });
  const client = openHttpClient(server.url);
  return {
    fight: (work) =>
      useSeats(async (action, machineId) => {
        const body = { key: work.licenseKey, machineId };
        const reply = await client.send(`/api/v1/license/${action}`, { key: apiKey, body });
        return reply.status === 200 ? 'done' : String(reply.body.error?.code);
      }, work),
    stop: () => {
      client.close();
      return server.stop();
    },
  };
}

async function commandRival(): Promise<Rival> {
  const env = { PATH: '/usr/bin:/bin', HOME: installation.cwd, NODE_COMPILE_CACHE: compileCache };
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, '../support/seat-process.ts')],
    { cwd: installation.cwd, env: { ...env, ...environment() }, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })[
    Symbol.asyncIterator
  ]();
  const answer = async () => JSON.parse(String((await lines.next()).value)) as Tally;
  await answer();
  return {
    fight: (work) => {
      child.stdin?.write(`${JSON.stringify(work)}\n`);
      return answer();
    },
    stop: () => {
      child.stdin?.end();
      return ended;
    },
  };
}

async function makeLicense(slug: string): Promise<Made> {
  const { id: productId } = await products.create(instance.ctx, { name: slug, slug });
  const input = { productId, customerEmail: 'ann@x.test', type: 'FLOATING', maxActivations: SEATS } as const;
  const { license } = await licenses.create(instance.ctx, input, { source: 'CLI', idempotency: null });
  return { id: license.id, key: String(licenses.licenseView(instance.ctx, license, { reveal: true }).key) };
}

/** Looks again and again, as long as `work` goes on, and tells the most live leases that it saw. */
async function mostLiveDuring<T>(id: string, work: Promise<T>): Promise<{ result: T; most: number }> {
  let most = 0;
  let isOver = false;
  const look = async (): Promise<void> => {
    while (!isOver) {
      most = Math.max(most, (await licenses.listActivations(instance.ctx, id)).length);
      // SQLite answers without letting go: the requests of this process would wait forever.
      await setImmediate();
    }
  };
  const looking = look();
  const result = await work.finally(() => {
    isOver = true;
  });
  await looking;
  return { result, most };
}

const eventsOf = async (subject: string) => {
  const rows: { type: string; data: string }[] = await instance.database.db.knex('events').where({ subject });
  return rows.map(({ type, data }) => ({ type, details: JSON.parse(data).details }));
};
const sum = (tallies: Tally[], name: string) => tallies.reduce((all, tally) => all + (tally[name] ?? 0), 0);
const machines = (side: number) => Array.from({ length: 25 }, (_, index) => `side-${side}-machine-${index}`);

it('2 x 25 machines on 10 seats: never more than 10 leases, no other refusal, every event once', async () => {
  const { id, key } = await makeLicense('fight');
  const fights = rivals.map((rival, side) =>
    rival.fight({ licenseKey: key, machineIds: machines(side), rounds: ROUNDS }),
  );
  const { result, most } = await mostLiveDuring(id, Promise.all(fights));
  expect(most).toBeLessThanOrEqual(SEATS);
  const taken = sum(result, 'checkout done');
  // Nothing came of any step but a seat or SEAT_LIMIT_REACHED: no error of the server, no lost lease.
  expect(new Set(result.flatMap(Object.keys))).toEqual(
    new Set(['checkout done', 'extension done', 'checkin done', 'checkout SEAT_LIMIT_REACHED']),
  );
  expect([sum(result, 'extension done'), sum(result, 'checkin done')]).toEqual([taken, taken]);
  expect(taken + sum(result, 'checkout SEAT_LIMIT_REACHED')).toBe(50 * ROUNDS);
  const told = Object.groupBy(await eventsOf(id), ({ type }) => type);
  const counts = [told.SEAT_CHECKED_OUT, told.SEAT_CHECKED_IN, told.SEAT_DENIED].map((list) => list?.length);
  expect(counts).toEqual([taken, taken, 50 * ROUNDS - taken]);
  const used = (told.SEAT_CHECKED_OUT ?? []).map(({ details }) => details.seatsUsed as number);
  // The fight was one: at some time all seats were in use, and at none more than there are.
  expect([Math.min(...used), Math.max(...used)]).toEqual([expect.toSatisfy((least) => least >= 1), SEATS]);
  expect(await licenses.listActivations(instance.ctx, id)).toEqual([]);
});

it('50 checkouts of one machine at once, two processes: one seat, one row, one event', async () => {
  const { id, key } = await makeLicense('same-machine');
  const machineIds = Array.from({ length: 25 }, () => 'the-same-machine');
  const result = await Promise.all(
    rivals.map((rival) => rival.fight({ licenseKey: key, machineIds, rounds: 0 })),
  );
  expect(sum(result, 'checkout done')).toBe(50);
  expect(await licenses.listActivations(instance.ctx, id)).toHaveLength(1);
  expect((await eventsOf(id)).filter(({ type }) => type === 'SEAT_CHECKED_OUT')).toHaveLength(1);
});

it('a seat whose lease has run out is given once, while two processes and the job end it', async () => {
  const { id, key } = await makeLicense('ran-out');
  for (const machineId of machines(9).slice(0, SEATS))
    await seats.checkout(instance.ctx, { licenseKey: key, machineId });
  await instance.database.transaction(({ knex }) =>
    knex('license_activations')
      .where({ license_id: id })
      .update({ lease_expires_at: '2020-01-01T00:00:00.000Z' }),
  );
  const fights = rivals.map((rival, side) =>
    rival.fight({ licenseKey: key, machineIds: machines(side), rounds: 0 }),
  );
  const job = seatsCapability.jobs?.[0];
  const [result] = await Promise.all([Promise.all(fights), job?.run(instance.ctx), job?.run(instance.ctx)]);
  expect([sum(result, 'checkout done'), sum(result, 'checkout SEAT_LIMIT_REACHED')]).toEqual([SEATS, 40]);
  expect(await licenses.listActivations(instance.ctx, id)).toHaveLength(SEATS);
  const ended = (await eventsOf(id)).filter(({ type }) => type === 'LEASE_EXPIRED');
  expect(new Set(ended.map(({ details }) => details.activationId)).size).toBe(SEATS);
  expect(ended).toHaveLength(SEATS);
});
