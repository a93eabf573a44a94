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

/** Raises a counter by one. Its row stays locked until the transaction ends. */
export const raiseCounter = (ctx: Ctx, name: string): Promise<number> => raiseRow.run(ctx.db, { name });

/** Gives a counter a value. */
export const putCounter = (ctx: Ctx, name: string, value: number): Promise<number> =>
  putRow.run(ctx.db, { name, value });
