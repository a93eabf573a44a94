// Compiled statements on both databases: parameters, values that differ between drivers, plans that are kept.
import Driver from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readFlag, readJson } from '#kernel/db/columns.ts';
import type { Db } from '#kernel/db/database.ts';
import { containsPattern, dialectOf, isBusy, isUnavailable, reusablePlan } from '#kernel/db/dialect.ts';
import { statement } from '#kernel/db/statement.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
  await t.database.transaction(async ({ knex }) => {
    await knex.schema.createTable('samples', (table) => {
      table.text('id').primary();
      table.text('word');
      table.bigInteger('number');
      table.boolean('flag');
      table.jsonb('json');
    });
  });
});
afterAll(() => t.close());

type Sample = {
  id: string;
  word: string | null;
  number: number | null;
  flag: boolean | null;
  json: string | null;
};
const insert = statement<Sample>((q, p) =>
  q('samples').insert(p.row('id', 'word', 'number', 'flag', 'json')),
);
const byId = statement<{ id: string }, Sample>((q, p) => q('samples').where('id', p('id')).select());
const nothing = { word: null, number: null, flag: null, json: null };
const add = (sample: Partial<Sample> & { id: string }) =>
  t.database.transaction((db) => insert.run(db, { ...nothing, ...sample }));
const read = async (id: string) => (await byId.first(t.database.db, { id })) as Sample;

describe('values', () => {
  it('null and undefined are stored as null', async () => {
    await add({ id: 'null' });
    await t.database.transaction((db) => insert.run(db, { id: 'undefined' } as Sample));
    for (const id of ['null', 'undefined']) expect(await read(id)).toEqual({ id, ...nothing });
  });

  it.each([true, false])('the flag %j comes back as it was', async (flag) => {
    await add({ id: `flag ${flag}`, flag });
    expect(readFlag((await read(`flag ${flag}`)).flag)).toBe(flag);
  });

  it.each([0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    'the integer %i is a number',
    async (number) => {
      await add({ id: `number ${number}`, number });
      expect((await read(`number ${number}`)).number).toBe(number);
    },
  );

  it.each(["'; DROP TABLE samples; --", '?', ':id', '$1', '\u{1F600}', ' x ', '', '\u0001parameter:id'])(
    'the text %j is a value and nothing else',
    async (word) => {
      await add({ id: `word ${word}`, word });
      expect((await read(`word ${word}`)).word).toBe(word);
    },
  );

  it('JSON comes back as text from both databases, to be read by one function', async () => {
    await add({ id: 'json', json: '{"a": [1, "?"]}' });
    const { json } = await read('json');
    expect(typeof json).toBe('string');
    expect(readJson(json)).toEqual({ a: [1, '?'] });
  });
});

describe('statements', () => {
  it('first, all and run answer with a row, rows and a number', async () => {
    await add({ id: 'x1', word: 'same' });
    await add({ id: 'x2', word: 'same' });
    const byWord = statement<{ word: string }, Sample>((q, p) =>
      q('samples').where('word', p('word')).orderBy('id').select('id'),
    );
    const change = statement<{ word: string; number: number }>((q, p) =>
      q('samples')
        .where('word', p('word'))
        .update({ number: p('number') }),
    );
    const { db } = t.database;
    expect(await byWord.all(db, { word: 'same' })).toEqual([{ id: 'x1' }, { id: 'x2' }]);
    expect(await byWord.first(db, { word: 'same' })).toEqual({ id: 'x1' });
    expect([await byWord.first(db, { word: 'none' }), await byWord.all(db, { word: 'none' })]).toEqual([
      undefined,
      [],
    ]);
    const run = (word: string) => t.database.transaction((db) => change.run(db, { word, number: 5 }));
    expect([await run('same'), await run('none')]).toEqual([2, 0]);
  });

  it('a parameter may stand in several places, beside constants of the query', async () => {
    const either = statement<{ text: string }, Sample>((q, p) =>
      q('samples')
        .where((any) => any.where('id', p('text')).orWhere('word', p('text')))
        .whereNot('id', 'a constant ?')
        .limit(1)
        .select('id'),
    );
    await add({ id: 'either' });
    expect(await either.first(t.database.db, { text: 'either' })).toEqual({ id: 'either' });
  });

  it('one may be used at once by many, with their own values', async () => {
    const words = Array.from({ length: 50 }, (_, index) => `many ${index}`);
    await Promise.all(words.map((word) => add({ id: word, word })));
    const found = await Promise.all(words.map((id) => read(id)));
    expect(found.map(({ word }) => word)).toEqual(words);
  });

  it('lock waits for the row on Postgres and runs nothing on SQLite', async () => {
    const lock = statement<{ id: string }>((q, p) =>
      q('samples').where('id', p('id')).forUpdate().select('id'),
    );
    await add({ id: 'locked', number: 0 });
    const rise = () =>
      t.database.transaction(async (db: Db) => {
        await lock.lock(db, { id: 'locked' });
        const row = (await byId.first(db, { id: 'locked' })) as Sample;
        await db
          .knex('samples')
          .where({ id: 'locked' })
          .update({ number: (row.number ?? 0) + 1 });
      });
    await Promise.all(Array.from({ length: 20 }, rise));
    expect((await read('locked')).number).toBe(20);
  });
});

describe('plans that are kept (decision 0007)', () => {
  it('SQLite gets a plus before every compared value, Postgres the text as it is', () => {
    const sql =
      'select * from a join b on a.x = ? where b.y < ? and c is ? and d > ? and e in (?, ?) limit ?';
    expect(reusablePlan('postgres', sql)).toBe(sql);
    expect(reusablePlan('sqlite', sql)).toBe(
      'select * from a join b on a.x = +? where b.y < +? and c is +? and d > +? and e in (?, ?) limit ?',
    );
  });

  it('SQLite prepares such a join once, and the plain one at every new value', () => {
    const database = new Driver(':memory:');
    database.exec('CREATE TABLE a (id TEXT PRIMARY KEY, b TEXT); CREATE TABLE b (id TEXT PRIMARY KEY)');
    const join = 'SELECT a.id FROM a JOIN b ON b.id = a.b WHERE a.id = ? AND b.id >= ?';
    // What the statement sees of its values while it plans would be part of the plan; a plus hides it and no index.
    const planOf = (sql: string) => {
      const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all('x', 'y') as { detail: string }[];
      return rows.map(({ detail }) => detail);
    };
    expect(planOf(reusablePlan('sqlite', join))).toEqual(planOf(join));
    expect(planOf(reusablePlan('sqlite', join)).join()).toMatch(/SEARCH a USING INDEX/);
    database.close();
  });

  it('a statement asks for its text once, however often it runs', async () => {
    let built = 0;
    const counted = statement<{ id: string }, Sample>((q, p) => {
      built += 1;
      return q('samples').where('id', p('id')).select('id');
    });
    for (const id of ['a', 'b', 'c']) await counted.first(t.database.db, { id });
    expect(built).toBe(1);
  });
});

describe('dialects', () => {
  it('are told by the URL', () => {
    expect([dialectOf('sqlite:x'), dialectOf('postgres://h/d'), dialectOf('postgresql://h/d')]).toEqual([
      'sqlite',
      'postgres',
      'postgres',
    ]);
    for (const url of ['mysql://h/d', 'x.db', '', 'sqlite'])
      expect(() => dialectOf(url)).toThrow(/must start with/);
  });

  it('a search text is no pattern, and case does not matter', async () => {
    await add({ id: 'search', word: 'ÖZIL 100%_\\ done' });
    const find = async (text: string) =>
      (
        await t.database.db
          .knex('samples')
          .whereRaw("lower(word) LIKE lower(?) ESCAPE '\\'", [containsPattern(text)])
          .select('id')
      ).length;
    for (const text of ['100%_', '_\\ d', 'DONE']) expect(await find(text)).toBe(1);
    expect(await find('ÖZIL')).toBe(1);
    // Beyond ASCII Postgres folds as its database's locale says; the tests' own is C.
    if (inject('databaseKind') === 'sqlite') expect(await find('özil')).toBe(1);
    for (const text of ['%zil', 'z_l', '100_', '\\%']) expect(await find(text)).toBe(0);
  });

  it('name the faults of the database in use', async () => {
    const failure = await t.database.db.knex.raw('SELECT * FROM no_such_table').then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure).not.toBeNull();
    expect([isBusy(failure), isUnavailable(failure)]).toEqual([false, false]);
    const away = inject('databaseKind') === 'postgres' ? '57P01' : 'SQLITE_IOERR_WRITE';
    expect(isUnavailable(Object.assign(new Error(), { code: away }))).toBe(true);
  });
});

describe('one INSERT of a thousand rows', () => {
  const rows = (word: string, number: number | null = null) =>
    Array.from({ length: 1000 }, (_, at) => ({ id: `${word}-${at}`, word, number }));
  const stored = (word: string) => t.database.db.knex('samples').where({ word });

  it('writes them all, and says what it wrote', async () => {
    const written = await t.database.transaction(({ knex }) =>
      knex('samples').insert(rows('many')).returning('id'),
    );
    expect([written.length, (await stored('many')).length]).toEqual([1000, 1000]);
  });

  it('leaves rows that are there, or changes them', async () => {
    const [known] = rows('known');
    await t.database.transaction(async ({ knex }) => {
      await knex('samples').insert(known);
      await knex('samples').insert(rows('known', 7)).onConflict('id').ignore();
    });
    expect((await stored('known')).filter(({ number }) => number === 7)).toHaveLength(999);
    await t.database.transaction(({ knex }) =>
      knex('samples').insert(rows('known', 8)).onConflict('id').merge(['number']),
    );
    expect((await stored('known')).filter(({ number }) => number === 8)).toHaveLength(1000);
  });

  it('stores what a row does not name as null', async () => {
    const some = [
      { id: 'some-1', word: 'some' },
      { id: 'some-2', word: 'some', number: 5 },
    ];
    await t.database.transaction(({ knex }) => knex('samples').insert(some));
    expect((await stored('some').orderBy('id')).map(({ number }) => number)).toEqual([null, 5]);
  });
});

describe('a constant text', () => {
  it('lets an index over some rows serve the statement', async () => {
    await t.database.transaction(({ knex }) =>
      knex.raw(`CREATE UNIQUE INDEX samples_noted ON samples (number) WHERE word = 'noted'`),
    );
    await add({ id: 'noted', word: 'noted', number: 77 });
    // An upsert names the index by what it says of its rows: a bound value would name none.
    const again = statement<{ id: string; number: number }>((q, p) =>
      q.raw(
        'INSERT INTO samples (id, word, number) VALUES (?, ?, ?) ON CONFLICT (number) WHERE word = ? DO NOTHING',
        [p('id'), 'noted', p('number'), 'noted'],
      ),
    );
    const changed = await t.database.transaction((db) => again.run(db, { id: 'again', number: 77 }));
    expect(changed).toBe(0);
  });
});
