import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { auditSubjectRecord } from '../record.ts';

const TABLE = auditSubjectRecord.table;

const insertNew = statement<{ id: string; sealed_key: string | null; created_at: string }>((q, p) =>
  q(TABLE)
    .insert(p.row('id', 'sealed_key', 'created_at'))
    .onConflict('id')
    .ignore(),
);
const byId = statement<{ id: string }, { sealed_key: string | null }>((q, p) =>
  q(TABLE).where('id', p('id')).select('sealed_key'),
);

/** The sealed key of a person: null after an erasure, undefined for one who has none yet. */
export const findKey = async (ctx: Ctx, id: string): Promise<string | null | undefined> =>
  (await byId.first(ctx.db, { id }))?.sealed_key;

/** Gives a person a key, unless there is one or the person was erased. Waits for another transaction that does so. */
export async function insertKey(ctx: Ctx, id: string, sealedKey: string): Promise<void> {
  await insertNew.run(ctx.db, { id, sealed_key: sealedKey, created_at: ctx.now() });
}

/** Deletes the key of a person, for good: the row stays, so that no new one is made. */
export async function deleteKey(ctx: Ctx, id: string): Promise<void> {
  await ctx.db
    .knex(TABLE)
    .insert({ id, sealed_key: null, created_at: ctx.now() })
    .onConflict('id')
    .merge({ sealed_key: null });
}
