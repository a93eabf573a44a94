import type { Ctx } from '../../context.ts';
import type { Knex } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';

/** The counter that changes with what receivers have subscribed to: writers of events see by it what has grown old. */
const COUNTER = 'subscriptions';

const versionRow = statement<object, { value: number }>((q) =>
  q('counters').where({ name: COUNTER }).select('value'),
);

const versionUpdate = statement<{ version: number }>((q, p) =>
  q('counters')
    .where({ name: COUNTER })
    .update({ value: p('version') }),
);

/** Differs after every change of what any receiver has subscribed to. */
export const readVersion = async (ctx: Ctx): Promise<number | null> =>
  (await versionRow.first(ctx.db, {}))?.value ?? null;

/** Says so, in the transaction of the change. @param version any that nobody has seen yet */
export const writeVersion = (ctx: Ctx, version: number): Promise<number> =>
  versionUpdate.run(ctx.db, { version });

/** The version as a column of a statement that writes events: a trip of its own would cost more than both. */
export const versionColumn = (q: Knex): Knex.Raw =>
  q.raw("(SELECT value FROM counters WHERE name = 'subscriptions') AS version");
