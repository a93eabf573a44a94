// What a process keeps of its counters: never more than there is room for, and nothing is written twice (decision 0034).
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { type Log, logTo } from '#kernel/log.ts';
import {
  beginDay,
  type Daybook,
  daybookOf,
  MOST_ENTRIES,
  sizeOf,
} from '#licensing/insight/statistics/daybook.ts';
import { putBack, takeDue } from '#licensing/insight/statistics/due.ts';
import { flushDue, flushStatistics, observe } from '#licensing/insight/statistics/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { processesOf } from '../support/processes.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** A process that answers a client, and what it remembers. */
function newProcess(log?: Log): { ctx: Ctx; book: Daybook } {
  const [process] = processesOf(app, 1, log) as [Ctx];
  const ctx = process.with({ origin: { ...app.ctx.origin, ip: '198.51.100.7' } });
  return { ctx, book: ctx.memory.of(daybookOf) };
}

function see(ctx: Ctx, licenseId: string, machineId = 'machine-0001'): void {
  const answer = { action: 'validate', allowed: true, code: 'VALID', repeat: true };
  observe(ctx, { ...answer, licenseId, machineId, now: ctx.now() });
}

const seeLicenses = (ctx: Ctx, count: number): void => {
  for (let n = 0; n < count; n++) see(ctx, `lic_${n}`);
};

/** What stands in all the queues, counted anew. */
function held({ current, queues }: Daybook): number {
  const days = new Set([...current.values(), ...queues.next, ...queues.over, ...queues.turn]);
  return [...days].reduce((sum, day) => sum + sizeOf(day), 0);
}

const rowsOf = (table: string, licenseId: string) =>
  app.instance.database.db.knex(table).where({ license_id: licenseId });

/** Three quarters of the memory. */
const CROWD = MOST_ENTRIES / 4 + 10;

it('counts each answer once where memory runs short, and knows what it holds', async () => {
  const { ctx, book } = newProcess();
  const { id } = await app.license();
  see(ctx, id);
  seeLicenses(ctx, CROWD);
  // It may break a rule now, and is the one that came first: two reasons to write it.
  see(ctx, id, 'machine-0002');
  see(ctx, id, 'machine-0002');
  await flushDue(ctx);
  expect(book.entries).toBe(held(book));
  await flushDue(ctx);
  expect(book.entries).toBe(held(book));
  await flushStatistics(ctx);
  expect(book).toMatchObject({ entries: held(book), dropped: 0 });
  expect(await rowsOf('license_stats', id)).toMatchObject([{ validations: 3 }]);
  const tried = await rowsOf('license_observations', id).where({ kind: 'MACHINE_TRIED' });
  expect(tried.map((row) => Number(row.count)).sort()).toEqual([1, 2]);
});

it('takes a license once in a flush, for however many reasons', () => {
  const { ctx, book } = newProcess();
  seeLicenses(ctx, CROWD);
  for (let n = 0; n < 100; n++) see(ctx, `lic_${n}`, 'machine-0002');
  const taken = takeDue(book, ctx.now()).map(({ day }) => day);
  expect(taken.length).toBeGreaterThan(100);
  expect(new Set(taken).size).toBe(taken.length);
});

it('takes a license once that could not be written while its day ended', () => {
  const { ctx, book } = newProcess();
  see(ctx, 'lic_1');
  const taken = takeDue(book, ctx.now());
  expect(taken).toHaveLength(1);
  // The first request of the next day comes before the database has answered.
  beginDay(book, '2030-01-01');
  putBack(book, taken);
  const again = [takeDue(book, '2030-01-01T00:00:10.000Z'), takeDue(book, '2030-01-01T00:00:20.000Z')].flat();
  expect(again.map(({ day, isOver }) => [day.licenseId, isOver])).toEqual([['lic_1', true]]);
});

it('has a bound, and reports what found no room', async () => {
  const lines: string[] = [];
  const { ctx, book } = newProcess(logTo({ write: (line: string) => lines.push(line) }, 'warn'));
  const beyond = 50;
  seeLicenses(ctx, Math.floor(MOST_ENTRIES / 3));
  for (let n = 0; n < beyond; n++) see(ctx, `lic_beyond_${n}`);
  expect(book.entries).toBe(MOST_ENTRIES);
  expect(held(book)).toBe(MOST_ENTRIES);
  const { dropped } = await flushDue(ctx);
  expect(dropped).toBeGreaterThanOrEqual(beyond);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ dropped }]);
  expect(book.entries).toBe(held(book));
  expect(book).toMatchObject({ dropped: 0 });
});

it('ends a flush that takes too long, reports what is left, and writes that with the next one', async () => {
  const lines: string[] = [];
  const { ctx, book } = newProcess(logTo({ write: (line: string) => lines.push(line) }, 'warn'));
  seeLicenses(ctx, 1000);
  expect((await flushStatistics(ctx, 0)).licenses).toBe(100);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ licenses: 900 }]);
  expect(book.queues.next.size).toBe(900);
  expect((await flushStatistics(ctx)).licenses).toBe(900);
  expect(book.entries).toBe(held(book));
});
