// Transactions on both databases: what is kept, what is taken back, and who may still use a handle (M1, M2).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { openDatabase } from '#kernel/db/connect.ts';
import { DatabaseUnavailable, type Db, TransactionEnded } from '#kernel/db/database.ts';
import { isForeignKeyViolation, isUnavailable, isUniqueViolation } from '#kernel/db/dialect.ts';
import { Pipelines } from '#kernel/db/pipelines.ts';
import { STATEMENT_TIMEOUT_MS, TURN_TIMEOUT_MS } from '#kernel/db/pool.ts';
import { openPostgres } from '#kernel/db/postgres.ts';
import { statement } from '#kernel/db/statement.ts';
import { defineEvents, event } from '#kernel/events.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
});
afterAll(() => t.close());

const insert = statement<{ name: string; value: number }>((q, p) =>
  q('counters').insert(p.row('name', 'value')),
);
const byName = statement<{ name: string }, { name: string }>((q, p) =>
  q('counters').where('name', p('name')).select('name'),
);
const add = (db: Db, name: string, value = 1) => insert.run(db, { name, value });
/** Counters of the program itself. */
const own = [
  'settings',
  'shop_catalog',
  'shop_credit_note_number',
  'shop_invoice_number',
  'shop_order_number',
  'shop_refund_number',
  'shop_return_number',
  'shop_stock',
  'subscriptions',
];
const names = async () => {
  const rows: { name: string }[] = await t.database.db.knex('counters').select('name').orderBy('name');
  return rows.map(({ name }) => name).filter((name) => !own.includes(name));
};
const empty = () =>
  t.database.transaction(async ({ knex }) => {
    await knex('counters').whereNotIn('name', own).delete();
  });

describe('a transaction', () => {
  it('keeps all that it wrote, or nothing', async () => {
    await t.database.transaction(async (db) => {
      await add(db, 'a');
      await db.knex('counters').insert({ name: 'b', value: 1 });
    });
    const failing = t.database.transaction(async (db) => {
      await add(db, 'c');
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(await names()).toEqual(['a', 'b']);
    await empty();
  });

  it('that fails among others takes back its own writes only', async () => {
    const run = (name: string, fails: boolean) =>
      t.database.transaction(async (db) => {
        await add(db, name);
        await add(db, `${name}-again`);
        if (fails) await add(db, name);
      });
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => run(`n${i}`, i % 2 === 1)));
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual(
      Array.from({ length: 20 }, (_, i) => i % 2 === 0),
    );
    const failure = results[1] as PromiseRejectedResult;
    expect([isUniqueViolation(failure.reason), isForeignKeyViolation(failure.reason)]).toEqual([true, false]);
    expect((await names()).filter((name) => !name.endsWith('again'))).toHaveLength(10);
    await empty();
  });

  it('sees what it wrote itself, and others do not see it before its commit', async () => {
    await t.database.transaction(async (db) => {
      await add(db, 'mine');
      expect(await db.knex('counters').where({ name: 'mine' })).toHaveLength(1);
      expect(await t.database.db.knex('counters').where({ name: 'mine' })).toHaveLength(0);
    });
    expect(await names()).toEqual(['mine']);
    await empty();
  });

  it('is not seen by a compiled read either, which may use its connection before and after it', async () => {
    const seen = async () => (await byName.all(t.database.db, { name: 'mine' })).length;
    expect(await seen()).toBe(0);
    await t.database.transaction(async (db) => {
      await add(db, 'mine');
      expect(await seen()).toBe(0);
      expect(await byName.all(db, { name: 'mine' })).toHaveLength(1);
    });
    expect(await seen()).toBe(1);
    await empty();
  });

  it('gives a handle that ends with it, whether it was kept or taken back', async () => {
    const kept: Db[] = [];
    await t.database.transaction(async (db) => void kept.push(db));
    await t.database
      .transaction(async (db) => {
        kept.push(db);
        throw new Error('refused');
      })
      .catch(() => undefined);
    for (const db of kept) {
      await expect(add(db, 'late')).rejects.toBeInstanceOf(TransactionEnded);
      expect(() => db.knex).toThrow(TransactionEnded);
    }
    expect(await names()).toEqual([]);
  });
});

describe('ctx.tx', () => {
  it('inside a transaction joins it', async () => {
    const outer = t.ctx.tx(async (ctx) => {
      await add(ctx.db, 'outer');
      await ctx.tx((ctx) => add(ctx.db, 'inner'));
      throw new Error('refused');
    });
    await expect(outer).rejects.toThrow('refused');
    expect(await names()).toEqual([]);
  });

  it('a part of it that fails takes back only its own writes, and what it queued', async () => {
    const ran: string[] = [];
    const part = (name: string, fails: boolean) => (ctx: Ctx) =>
      ctx
        .part(async (ctx) => {
          await add(ctx.db, name);
          ctx.afterCommit(() => void ran.push(name));
          // Both databases refuse it; Postgres would refuse all that follows.
          if (fails) await add(ctx.db, name);
          await ctx.part((ctx) => add(ctx.db, `${name}-inside`));
        })
        .catch(() => ran.push(`${name} failed`));
    await t.ctx.tx(async (ctx) => {
      await add(ctx.db, 'before');
      await part('one', true)(ctx);
      await part('two', false)(ctx);
      await part('three', true)(ctx);
      await add(ctx.db, 'zafter');
    });
    expect(ran).toEqual(['one failed', 'three failed', 'two']);
    expect(await names()).toEqual(['before', 'two', 'two-inside', 'zafter']);
    await empty();
    await expect(t.ctx.part(async () => undefined)).rejects.toThrow('inside a transaction');
  });

  it('runs work after the commit, once, and not after a rollback; its failure changes nothing', async () => {
    const ran: string[] = [];
    await t.ctx.tx(async (ctx) => {
      ctx.afterCommit(() => void ran.push('first'));
      ctx.afterCommit(() => {
        throw new Error('is logged');
      });
      ctx.afterCommit(async () => void ran.push(`third sees ${(await names()).length}`));
      await add(ctx.db, 'committed');
    });
    await t.ctx
      .tx(async (ctx) => {
        ctx.afterCommit(() => void ran.push('never'));
        throw new Error('refused');
      })
      .catch(() => undefined);
    expect(ran).toEqual(['first', 'third sees 1']);
    expect(() => t.ctx.afterCommit(() => undefined)).toThrow(/inside a transaction/);
    await empty();
  });

  it('writes events only inside, and takes them back with the rest', async () => {
    const tests = defineEvents('platform', { TESTED: event<{ from: string }>() });
    const emit = (ctx: Ctx) => tests.tell(ctx, 'TESTED', 'tst_1', { from: 'here' });
    await expect(emit(t.ctx)).rejects.toThrow(/inside a transaction/);
    await t.ctx
      .tx(async (ctx) => {
        await emit(ctx);
        throw new Error('refused');
      })
      .catch(() => undefined);
    expect(await t.eventsOf('tst_1')).toEqual([]);
    await t.ctx.tx(emit);
    expect(await t.eventsOf('tst_1')).toEqual([{ type: 'TESTED', data: { from: 'here' } }]);
  });
});

it('reads outside of a transaction cannot write on SQLite, not even one that answers with rows', async () => {
  const returning = statement<{ name: string; value: number }, { name: string }>((q, p) =>
    q('counters').insert(p.row('name', 'value')).returning('name'),
  );
  const write = add(t.database.db, 'outside');
  const answering = returning.first(t.database.db, { name: 'answering', value: 1 });
  if (inject('databaseKind') === 'sqlite') {
    await expect(write).rejects.toThrow(/readonly/);
    await expect(answering).rejects.toThrow(/readonly/);
  } else expect([await write, await answering]).toEqual([1, { name: 'answering' }]);
  await empty();
});

/** Holds the write lock of a SQLite file, or a row of Postgres, until it is killed. */
async function holdLock(url: string): Promise<() => Promise<unknown>> {
  const script = `
    import { openDatabase } from '#kernel/db/connect.ts';
    const options = { poolSize: 1, busyTimeoutMs: 1000, create: false, onError: () => undefined };
    const database = await openDatabase(process.argv[1], options);
    await database.transaction(async ({ knex }) => {
      await knex('counters').where({ name: 'settings' }).update({ value: knex.raw('value') });
      process.stdout.write('held\\n');
      await new Promise((resolve) => process.stdin.once('data', resolve));
    });
    await database.close();`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script, url], {
    // The script's imports are looked up from here.
    cwd: join(import.meta.dirname, '../../..'),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  return () => {
    child.stdin.end('go on\n');
    return ended;
  };
}

// A SQLite file has no connection that others could end.
if (inject('databaseKind') === 'postgres') {
  it('a connection that breaks while nobody uses it is told of without all that the driver keeps of it', async () => {
    const told: Error[] = [];
    const onError = (error: Error) => void told.push(error);
    const url = `${t.url}${t.url.includes('?') ? '&' : '?'}application_name=victim`;
    const options = { poolSize: 1, busyTimeoutMs: 1000, create: false, onError };
    const victim = await openDatabase(url, options);
    await t.database.db.knex.raw(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'",
    );
    while (told.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await victim.close();
    for (const error of told)
      expect([Object.hasOwn(error, 'client'), error.message]).toEqual([false, told[0]?.message]);
  });

  it('whoever finds all connections in use waits longer than their statements may take, and is told why in the end', async () => {
    expect(TURN_TIMEOUT_MS).toBeGreaterThan(STATEMENT_TIMEOUT_MS);
    const options = { poolSize: 1, busyTimeoutMs: 1000, create: false, onError: () => undefined };
    const busy = await openPostgres(t.url, { ...options, turnMs: 3000 });
    const all = 1 + Pipelines.CONNECTIONS;
    const begun = Array.from({ length: all }, () => Promise.withResolvers<void>());
    const end = Promise.withResolvers<void>();
    const holders = begun.map(({ resolve }) =>
      busy.transaction(async ({ knex }) => {
        await knex.raw('SELECT 1');
        resolve();
        await end.promise;
      }),
    );
    await Promise.all(begun.map(({ promise }) => promise));
    const refusal = await busy.transaction(async () => undefined).catch((error: Error) => error);
    end.resolve();
    await Promise.all(holders);
    await busy.close();
    expect(refusal).toMatchObject({
      message:
        'all connections to the database were in use for 3 s; raise database.pool (APPCTL_DATABASE_POOL)',
    });
    expect(isUnavailable(refusal)).toBe(true);
  });
}

describe('another process that holds the lock', () => {
  const touch = (ms: number) => ({ poolSize: 2, busyTimeoutMs: ms, create: false, onError: () => undefined });
  const change = async (db: Db) => {
    await db.knex('counters').where({ name: 'settings' }).update({ value: 7 });
  };

  it('is waited for, while reads go on', async () => {
    const release = await holdLock(t.url);
    const waiting = t.database.transaction(change);
    expect(await t.database.db.knex('counters').where({ name: 'settings' })).toHaveLength(1);
    await release();
    await waiting;
    const [row] = await t.database.db.knex('counters').where({ name: 'settings' });
    expect(row.value).toBe(7);
  });

  it('is on SQLite not waited for longer than the configured time', async () => {
    const impatient = await openDatabase(t.url, touch(100));
    const release = await holdLock(t.url);
    if (inject('databaseKind') === 'sqlite')
      await expect(impatient.transaction(change)).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    else {
      const locked = impatient.transaction(async (db) => {
        await db.knex.raw("SET LOCAL lock_timeout = '100ms'");
        await change(db);
      });
      await expect(locked).rejects.toMatchObject({ code: '55P03' });
    }
    await release();
    await impatient.transaction(change);
    await impatient.close();
  });
});

it.each(['sqlite:/nowhere/at/all/appctl.db', 'postgres://app@127.0.0.1:1/nothing'])(
  '%s cannot be opened',
  async (url) => {
    const options = { poolSize: 1, busyTimeoutMs: 100, create: false, onError: () => undefined };
    await expect(openDatabase(url, options)).rejects.toBeInstanceOf(DatabaseUnavailable);
  },
);
