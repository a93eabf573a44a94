// The writer lane of SQLite: which use cases share a commit, and what a failure takes with it (architecture section 8).
import Driver from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { type LaneConnection, WriterLane } from '#kernel/db/lane.ts';

/** A connection to a database in memory that notes what it is told; `failing` says which statement fails instead. */
function recorder(
  failing: (sql: string, nth: number) => Error | null = () => null,
  onPause: () => void = () => undefined,
) {
  const said: string[] = [];
  const database = new Driver(':memory:');
  const exec = (sql: string): void => {
    said.push(sql);
    const error = failing(sql, said.filter((one) => one === sql).length);
    if (error) throw error;
    database.exec(sql);
  };
  const connection: LaneConnection = {
    get inTransaction() {
      return database.inTransaction;
    },
    begin: () => exec('BEGIN IMMEDIATE'),
    exec,
  };
  return { said, database, lane: new WriterLane(connection, 200, { onPause }) };
}

const settled = (promises: Promise<unknown>[]) =>
  Promise.allSettled(promises).then((results) =>
    results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason.message))),
  );
const busy = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });

describe('a group', () => {
  it('holds what arrived together, in order, in one commit', async () => {
    const { said, lane } = recorder();
    const order: number[] = [];
    const run = (value: number) =>
      lane.run(async () => {
        order.push(value);
        await null;
        return value;
      });
    expect(await settled([run(1), run(2), run(3)])).toEqual([1, 2, 3]);
    expect(order).toEqual([1, 2, 3]);
    expect(said.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
    expect(said.filter((sql) => sql === 'SAVEPOINT use_case')).toHaveLength(3);
  });

  it('answers nobody before the commit', async () => {
    const { said, lane } = recorder();
    const seen: string[][] = [];
    await Promise.all([1, 2].map(() => lane.run(async () => undefined).then(() => seen.push([...said]))));
    for (const before of seen) expect(before).toContain('COMMIT');
  });

  it('ends at 128 use cases, and the others have their own', async () => {
    const { said, lane } = recorder();
    await Promise.all(Array.from({ length: 129 }, () => lane.run(async () => undefined)));
    // On a busy machine one ends sooner, by its time.
    expect(said.filter((sql) => sql === 'COMMIT').length).toBeGreaterThanOrEqual(2);
    const groups = said.join(' ').split('COMMIT');
    for (const group of groups) expect(group.match(/\bSAVEPOINT/g)?.length ?? 0).toBeLessThanOrEqual(128);
  });

  it('takes in what is queued while it runs', async () => {
    const { said, lane } = recorder();
    let second: Promise<string> | undefined;
    await lane.run(async () => {
      second = lane.run(async () => 'second');
    });
    expect(await second).toBe('second');
    expect(said.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
  });
});

describe('a failure', () => {
  it('of a use case takes back its own writes only', async () => {
    const { said, lane } = recorder();
    const outcome = await settled([
      lane.run(async () => 1),
      lane.run(() => Promise.reject(new Error('refused'))),
      lane.run(async () => 3),
    ]);
    expect(outcome).toEqual([1, 'refused', 3]);
    expect(said).toEqual([
      'BEGIN IMMEDIATE',
      'SAVEPOINT use_case',
      'RELEASE use_case',
      'SAVEPOINT use_case',
      'ROLLBACK TO use_case; RELEASE use_case',
      'SAVEPOINT use_case',
      'RELEASE use_case',
      'COMMIT',
    ]);
  });

  it('of the commit is a failure of all, each with its own cause', async () => {
    const { said, lane } = recorder((sql, nth) =>
      sql === 'COMMIT' && nth === 1 ? new Error('disk full') : null,
    );
    const outcome = await settled([
      lane.run(async () => 1),
      lane.run(() => Promise.reject(new Error('refused'))),
      lane.run(async () => 3),
    ]);
    expect(outcome).toEqual(['disk full', 'refused', 'disk full']);
    expect(said.at(-1)).toBe('ROLLBACK');
    expect(await lane.run(async () => 'goes on')).toBe('goes on');
  });

  it('that made SQLite roll back by itself ends the group', async () => {
    const { database, lane } = recorder();
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    const outcome = await settled([
      lane.run(async () => 1),
      lane.run(async () => {
        database.exec('ROLLBACK');
        throw full;
      }),
      lane.run(async () => 3),
    ]);
    // The first one's writes are gone as well: it may not be told otherwise. The third begins anew.
    expect(outcome).toEqual([full.message, full.message, 3]);
  });

  it('to begin rejects all that wait, and the next one tries again', async () => {
    const { lane } = recorder((sql, nth) =>
      sql === 'BEGIN IMMEDIATE' && nth === 1 ? new Error('away') : null,
    );
    expect(await settled([lane.run(async () => 1), lane.run(async () => 2)])).toEqual(['away', 'away']);
    expect(await lane.run(async () => 3)).toBe(3);
  });
});

describe('another process that holds the lock', () => {
  it('is waited for', async () => {
    const { said, lane } = recorder((sql, nth) => (sql === 'BEGIN IMMEDIATE' && nth <= 3 ? busy : null));
    expect(await lane.run(async () => 'done')).toBe('done');
    expect(said.filter((sql) => sql === 'BEGIN IMMEDIATE')).toHaveLength(4);
  });

  it('is not waited for longer than the timeout', async () => {
    const { lane } = recorder((sql) => (sql === 'BEGIN IMMEDIATE' ? busy : null));
    expect(await settled([lane.run(async () => 1), lane.run(async () => 2)])).toEqual([
      busy.message,
      busy.message,
    ]);
  });
});

it('idle waits for what is queued', async () => {
  const { lane } = recorder();
  let ended = false;
  void lane.run(async () => {
    ended = true;
  });
  await lane.idle();
  expect(ended).toBe(true);
});

it('tells of a pause once nothing is written any more, and not between commits that follow each other', async () => {
  const told = Promise.withResolvers<void>();
  let pauses = 0;
  const { said, lane } = recorder(undefined, () => {
    pauses += 1;
    said.push('PAUSE');
    told.resolve();
  });
  for (let n = 0; n < 5; n++) await lane.run(async () => undefined);
  await told.promise;
  expect(pauses).toBe(1);
  expect(said.at(-1)).toBe('PAUSE');
  // A lane that is closed has nothing to tell of any more.
  await lane.run(async () => undefined);
  await lane.idle();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(pauses).toBe(1);
});
