import type { Ctx } from '../context.ts';
import { statement } from './statement.ts';

const valueRow = statement<{ name: string }, { value: number }>((q, p) =>
  q('counters').where('name', p('name')).select('value'),
);
const raiseRow = statement<{ name: string }>((q, p) =>
  q('counters')
    .where('name', p('name'))
    .update({ value: q.raw('value + 1') }),
);
const putRow = statement<{ name: string; value: number }>((q, p) =>
  q('counters')
    .where('name', p('name'))
    .update({ value: p('value') }),
);

/** The value of a named counter, by which caches tell whether they are stale; null when there is none. */
export const readCounter = async (ctx: Ctx, name: string): Promise<number | null> =>
  (await valueRow.first(ctx.db, { name }))?.value ?? null;

const allRows = statement<Record<never, never>, { name: string; value: number | string }>((q) =>
  q('counters').select('name', 'value'),
);

type Counters = ReadonlyMap<string, number>;
/** What a request found, by its trail. */
const found = new WeakMap<object, Promise<Counters>>();

const readAll = async ({ db }: Ctx): Promise<Counters> =>
  new Map((await allRows.all(db, {})).map(({ name, value }) => [name, Number(value)]));

/**
 * The value that a named counter had when the request first asked for any, 0 when there is none: a page is made of six
 * caches, and Postgres is asked once for all of them. What the request itself raises it sees.
 */
export async function counterSeen(ctx: Ctx, name: string): Promise<number> {
  const { trail } = ctx.origin;
  if (!trail) return (await readCounter(ctx, name)) ?? 0;
  let all = found.get(trail);
  if (!all) found.set(trail, (all = readAll(ctx)));
  return (await all).get(name) ?? 0;
}

const forget = ({ origin: { trail } }: Ctx): void => {
  if (trail) found.delete(trail);
};

/** Raises a counter by one. Its row stays locked until the transaction ends. */
export function raiseCounter(ctx: Ctx, name: string): Promise<number> {
  forget(ctx);
  return raiseRow.run(ctx.db, { name });
}

/** Gives a counter a value. */
export function putCounter(ctx: Ctx, name: string, value: number): Promise<number> {
  forget(ctx);
  return putRow.run(ctx.db, { name, value });
}

const takenRow = statement<{ name: string }, { value: number | string }>((q, p) =>
  q('counters')
    .where('name', p('name'))
    .update({ value: q.raw('value + 1') })
    .returning('value'),
);

/**
 * The next number of a series. The row stays locked until the transaction ends: numbers of transactions that are rolled
 * back are given again, so that a series has no gaps.
 *
 * @throws Error for a series that no migration began
 */
export async function takeNumber({ db }: Ctx, name: string): Promise<number> {
  const row = await takenRow.first(db, { name });
  if (!row) throw new Error(`the counter ${name} does not exist`);
  return Number(row.value);
}
