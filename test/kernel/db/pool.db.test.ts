// A server that takes no further session: those that a pool has must do, for as long as somebody waits for a turn.
import pg, { type PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { endsSession } from '#kernel/db/dialect.ts';
import { openPool, turnOf } from '#kernel/db/pool.ts';
import { type FreshDatabase, freshDatabaseUrl } from '../../support/database.ts';

const [ROLE, MOST] = [`few_${process.pid}`, 2];

describe.runIf(inject('databaseKind') === 'postgres')('a role that may have two sessions', () => {
  let fresh: FreshDatabase;
  let url: string;
  const asOwner = async (...statements: string[]): Promise<void> => {
    const client = new pg.Client(fresh.url);
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  beforeAll(async () => {
    fresh = await freshDatabaseUrl();
    await asOwner(`CREATE ROLE ${ROLE} LOGIN PASSWORD 'few' CONNECTION LIMIT ${MOST}`);
    const own = new URL(fresh.url);
    Object.assign(own, { username: ROLE, password: 'few' });
    url = own.href;
  });
  afterAll(async () => {
    await asOwner(`DROP ROLE ${ROLE}`);
    await fresh.drop();
  });

  it('answers all who ask at the same time, by turns', async () => {
    const pool = openPool({ connectionString: url, max: 8 });
    pool.on('error', () => undefined);
    const ask = async (): Promise<void> => {
      const client = await turnOf(pool);
      await client.query('SELECT pg_sleep(0.05)');
      client.release();
    };
    await Promise.all(Array.from({ length: 20 }, ask));
    expect(pool.totalCount).toBe(MOST);
    await pool.end();
  }, 60_000);

  it('whose sessions others have is refused', async () => {
    const [others, pool] = [
      openPool({ connectionString: url, max: MOST }),
      openPool({ connectionString: url }),
    ];
    const held = await Promise.all([turnOf(others), turnOf(others)]);
    await expect(turnOf(pool)).rejects.toMatchObject({ code: '53300' });
    for (const client of held) client.release();
    await Promise.all([others.end(), pool.end()]);
  }, 60_000);
});

it('a turn takes no longer for having been refused meanwhile, and a connection that comes too late is for the next one', async () => {
  const pool = openPool({}, 300);
  Object.defineProperty(pool, 'totalCount', { value: 1 });
  const late = Promise.withResolvers<PoolClient>();
  const refusal = Object.assign(new Error('too many clients'), { code: '53300' });
  const answers = [Promise.reject(refusal), late.promise];
  pool.connect = (() => answers.shift()) as unknown as typeof pool.connect;
  await expect(turnOf(pool)).rejects.toMatchObject({
    name: 'NoTurn',
    message:
      'all connections to the database were in use for 0.3 s; the database server takes no further ones: raise its max_connections',
  });
  const release = vi.fn();
  late.resolve({ release } as unknown as PoolClient);
  await vi.waitFor(() => expect(release).toHaveBeenCalled());
});

it('a statement for which the disk has no room ends no session, and what ends one does', () => {
  const codes = ['53100', '53300', '57P01', '25006', 'ECONNRESET', '23505'];
  expect(codes.filter((code) => endsSession({ code }))).toEqual(['53300', '57P01', '25006', 'ECONNRESET']);
});
