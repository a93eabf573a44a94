// What makes a database count as not writable, and for how long.
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '#kernel/db/connect.ts';
import { WriteHealth } from '#kernel/db/write-health.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const failure = (code: string, severity?: string) => Object.assign(new Error(code), { code, severity });
const options = { poolSize: 1, busyTimeoutMs: 100, create: true, onError: () => undefined };

describe('after a write that failed', () => {
  test.each([
    ['SQLITE_FULL', undefined],
    ['SQLITE_IOERR_WRITE', undefined],
    ['SQLITE_READONLY_DBMOVED', undefined],
    ['53100', 'ERROR'],
    ['25006', 'ERROR'],
    ['58030', 'FATAL'],
  ])('%s counts until a probe succeeds', async (code, severity) => {
    let isFull = true;
    let probes = 0;
    const health = new WriteHealth(async () => {
      probes += 1;
      if (isFull) throw failure(code, severity);
    });
    await health.check();
    expect(probes).toBe(0);
    health.note(failure(code, severity));
    await expect(health.check()).rejects.toThrow(code);
    await expect(health.check()).rejects.toThrow(code);
    isFull = false;
    await health.check();
    await health.check();
    expect(probes).toBe(3);
  });

  test.each(['SQLITE_BUSY', 'SQLITE_CONSTRAINT_UNIQUE', 'NOT_FOUND', '53100'])(
    '%s does not count',
    async (code) => {
      const health = new WriteHealth(() => Promise.reject(new Error('must not be asked')));
      health.note(failure(code));
      await expect(health.check()).resolves.toBeUndefined();
    },
  );

  test('a failure during the probe counts more than the probe', async () => {
    let probes = 0;
    const health: WriteHealth = new WriteHealth(async () => {
      probes += 1;
      if (probes === 1) health.note(failure('SQLITE_FULL'));
    });
    health.note(failure('SQLITE_FULL'));
    await health.check();
    await health.check();
    await health.check();
    expect(probes).toBe(2);
  });

  test('damage counts for half a minute after the last request that met it', async () => {
    let nowMs = 0;
    const health = new WriteHealth(
      () => Promise.resolve(),
      () => nowMs,
    );
    health.note(failure('SQLITE_CORRUPT'));
    nowMs = 20_000;
    health.note(failure('SQLITE_CORRUPT_VTAB'));
    nowMs = 49_999;
    await expect(health.check()).rejects.toThrow('the database is damaged');
    nowMs = 50_000;
    await health.check();
  });
});

test('a damaged page of a file is found by the write that needs it', async () => {
  const folder = scratchFolder('appctl-damaged-');
  const path = join(folder, 'a.db');
  const first = await openDatabase(`sqlite:${path}`, options);
  await first.transaction(async ({ knex }) => {
    await knex.raw('CREATE TABLE t (a TEXT PRIMARY KEY)');
    for (let i = 0; i < 2000; i++) await knex('t').insert({ a: `row ${i} `.repeat(20) });
  });
  await first.ping();
  await first.close();
  overwriteFrom(path, 4096);
  const database = await openDatabase(`sqlite:${path}`, options);
  await database.ping();
  const write = database.transaction(({ knex }) => knex('t').insert({ a: 'another' }));
  await expect(write).rejects.toMatchObject({ code: expect.stringMatching(/^SQLITE_CORRUPT/) });
  await expect(database.ping()).rejects.toThrow('the database is damaged');
  await database.close();
  rmSync(folder, { recursive: true });
});

/** Fills a file from an offset on with bytes that are no page. */
function overwriteFrom(path: string, offset: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(statSync(path).size - offset, 0x5a), 0, undefined, offset);
  closeSync(file);
}
