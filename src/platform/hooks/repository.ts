import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { type HookRun, hookRunRecord } from './record.ts';

const TABLE = hookRunRecord.table;

const added = statement<Record<string, unknown>>((q, p) => q(TABLE).insert(p.row(...hookRunRecord.written)));

export const insert = (ctx: Ctx, run: HookRun): Promise<unknown> =>
  added.run(ctx.db, hookRunRecord.write(run));

const pendingRow = statement<{ id: string }, Record<string, unknown>>((q, p) =>
  q(TABLE).where('id', p('id')).where('state', 'pending').select('*'),
);

/** A run that waits; null when it has ended. */
export async function findPending(ctx: Ctx, id: string): Promise<HookRun | null> {
  const row = await pendingRow.first(ctx.db, { id });
  return row ? hookRunRecord.read(row) : null;
}

const removed = statement<{ id: string }>((q, p) => q(TABLE).where('id', p('id')).delete());

/** What went well leaves nothing behind it. */
export const remove = (ctx: Ctx, id: string): Promise<unknown> => removed.run(ctx.db, { id });

/** How a run stands after an attempt. */
export const update = (
  ctx: Ctx,
  id: string,
  changes: Partial<Pick<HookRun, 'state' | 'attempts' | 'lastError' | 'endedAt' | 'payload'>>,
): Promise<unknown> => ctx.db.knex(TABLE).where({ id }).update(hookRunRecord.part(changes));
