import type { Ctx } from '../../context.ts';
import { putCounter, readCounter } from '../../db/counters.ts';
import type { Knex } from '../../db/database.ts';

/** The counter that changes with what receivers have subscribed to: writers of events see by it what has grown old. */
const COUNTER = 'subscriptions';

/** Differs after every change of what any receiver has subscribed to. */
export const readVersion = (ctx: Ctx): Promise<number | null> => readCounter(ctx, COUNTER);

/** Says so, in the transaction of the change. @param version any that nobody has seen yet */
export const writeVersion = (ctx: Ctx, version: number): Promise<number> => putCounter(ctx, COUNTER, version);

/** The version as a column of a statement that writes events: a trip of its own would cost more than both. */
export const versionColumn = (q: Knex): Knex.Raw =>
  q.raw("(SELECT value FROM counters WHERE name = 'subscriptions') AS version");
