// A network that swallows packets ends no connection: whoever waits is told soon, and nobody has to start anything anew.
import { EventEmitter } from 'node:events';
import type { ClientBase } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { Database } from '#kernel/db/database.ts';
import { isUnavailable } from '#kernel/db/dialect.ts';
import { openPostgres } from '#kernel/db/postgres.ts';
import { SilenceWatch } from '#kernel/db/silence.ts';
import { type FreshDatabase, freshDatabaseUrl } from '../../support/database.ts';
import { type SwallowingProxy, startSwallowingProxy } from '../../support/swallowing-proxy.ts';

describe.runIf(inject('databaseKind') === 'postgres')('a database that does not answer', () => {
  let fresh: FreshDatabase;
  let proxy: SwallowingProxy;
  let database: Database;
  beforeAll(async () => {
    fresh = await freshDatabaseUrl();
    proxy = await startSwallowingProxy(fresh.url);
    database = await openPostgres(proxy.url, { poolSize: 4, onError: () => undefined });
  });
  afterAll(async () => {
    await database.close();
    proxy.close();
    await fresh.drop();
  });

  const write = () => database.transaction(async ({ knex }) => void (await knex.raw('SELECT 1')));
  const sleepInside = (seconds: number) =>
    database.transaction(async ({ knex }) => void (await knex.raw('SELECT pg_sleep(?)', [seconds])));

  it('is given up after some seconds, refuses at once from then on, and is found again', async () => {
    await write();
    proxy.swallow();
    const failures = await Promise.allSettled([write(), write()]);
    for (const { status, reason } of failures as PromiseRejectedResult[])
      expect([status, isUnavailable(reason)]).toEqual(['rejected', true]);
    await expect(database.ping()).rejects.toThrow('the database does not answer');
    proxy.recover();
    await expect
      .poll(
        () =>
          write().then(
            () => true,
            () => false,
          ),
        { timeout: 15_000 },
      )
      .toBe(true);
  }, 60_000);

  it('connections that the network has forgotten are given up although new ones are answered', async () => {
    await write();
    proxy.swallow();
    proxy.recover();
    await expect(write()).rejects.toThrow('the database does not answer');
    await write();
  }, 60_000);

  it('a server that has no room for another connection is there', async () => {
    let asked = 0;
    const watch = new SilenceWatch(() => {
      asked += 1;
      return Promise.reject(
        Object.assign(new Error('sorry, too many clients already'), { severity: 'FATAL' }),
      );
    });
    const stream = { bytesRead: 0, destroy: vi.fn() };
    const waits = { _connecting: false, _activeQuery: {}, _sentQueryQueue: [], processID: 1 };
    const client = Object.assign(new EventEmitter(), waits, { connection: { stream } });
    watch.add(client as unknown as ClientBase);
    await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThan(1);
    client.emit('end');
    expect([stream.destroy.mock.calls, watch.away]).toEqual([[], null]);
  }, 60_000);

  it('a statement that takes long is waited for', async () => {
    await expect(sleepInside(6)).resolves.toBeUndefined();
  }, 60_000);
});
