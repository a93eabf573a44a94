// SQLite takes a transaction back by itself when the disk is full: nothing that its use case does afterwards may stay.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '#kernel/db/connect.ts';
import type { Db } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const FEW_PAGES = 20;
const addRow = statement<{ n: number }>((q, p) => q('rows').insert({ n: p('n') }));

/** More than the file has room for. */
const fill = (db: Db) => db.knex('blobs').insert({ b: Buffer.alloc(200_000) });

test.each([
  ['compiled statements', async (db: Db) => void (await addRow.run(db, { n: 2 }))],
  ['the builder', async (db: Db) => void (await db.knex('rows').insert({ n: 2 }))],
])('%s are refused from then on, and the use case fails', async (_name, add) => {
  const database = await openDatabase(
    `sqlite:${join(scratchFolder('appctl-own-rollback-'), 'own-rollback.db')}`,
    {
      poolSize: 1,
      busyTimeoutMs: 100,
      create: true,
      onError: () => undefined,
    },
  );
  try {
    await database.transaction(async ({ knex }) => {
      await knex.raw('CREATE TABLE blobs (b BLOB)');
      await knex.raw('CREATE TABLE rows (n INTEGER)');
      await knex.raw(`PRAGMA max_page_count = ${FEW_PAGES}`);
    });
    const outcomes = await Promise.allSettled([
      database.transaction((db) => Promise.all([fill(db), add(db)])),
      database.transaction(async (db) => {
        await expect(fill(db)).rejects.toThrow('full');
        await add(db);
      }),
      database.transaction(({ knex }) => knex('rows').insert({ n: 3 })),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(await database.db.knex('rows').select('n')).toEqual([{ n: 3 }]);
  } finally {
    await database.close();
  }
});
